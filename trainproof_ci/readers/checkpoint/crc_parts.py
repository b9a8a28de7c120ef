"""Joins the checksums of two neighbouring runs of bytes, so that the parts of one member can be read side by side.

A CRC is a remainder modulo a polynomial over bits; appending n bytes multiplies it by x to the power 8n. Polynomials
are numbers here, the coefficient of x^0 in bit 31.
"""

POLYNOMIAL = 0xEDB88320
ONE = 1 << 31


def _product(first: int, second: int) -> int:
    """The product of two polynomials modulo the polynomial of the CRC."""
    found = 0
    for bit in range(31, -1, -1):
        if first >> bit & 1:
            found ^= second
        second = second >> 1 ^ (POLYNOMIAL if second & 1 else 0)
    return found


def joined(first: int, second: int, length: int) -> int:
    """The CRC of bytes of CRC `first` followed by `length` bytes of CRC `second`."""
    power, factor, exponent = ONE, ONE >> 1, 8 * length
    while exponent:
        if exponent & 1:
            power = _product(factor, power)
        factor = _product(factor, factor)
        exponent >>= 1
    return _product(power, first) ^ second
