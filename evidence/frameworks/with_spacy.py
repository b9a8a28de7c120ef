"""spaCy: the table that `spacy train` prints, from a text classifier of a blank English pipeline."""

import pathlib
import random
import sys

import task

PACKAGES = ("spacy",)
FAULTS = ("healthy", "nan")
CONSOLE_IS_LOG = True
DATA = "sentences made of ten words, some of which decide the label (with_spacy.py)"
WORDS = {"warm": ("sun", "fire", "summer", "coat"), "cold": ("snow", "ice", "winter", "frost"), "": ("the", "a")}


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Train through `spacy.cli.train`; the fault makes a parameter NaN half-way."""
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.tokens import DocBin
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train

    del folder
    made = random.Random(task.SEED)
    blank = spacy.blank("en")
    for name, count in (("train", 400), ("dev", 100)):
        docs = DocBin()
        for _ in range(count):
            label = made.choice(["warm", "cold"])
            doc = blank(" ".join(made.choice(WORDS[made.choice([label, ""])]) for _ in range(6)))
            doc.cats = {"warm": float(label == "warm"), "cold": float(label == "cold")}
            docs.add(doc)
        docs.to_disk(f"{name}.spacy")
    config = init_config(lang="en", pipeline=["textcat"], optimize="efficiency")
    config["paths"] = {"train": "train.spacy", "dev": "dev.spacy", "vectors": None, "init_tok2vec": None}
    config["training"] |= {"max_steps": 300, "eval_frequency": 10, "patience": 0, "seed": task.SEED}
    config["training"]["logger"] = {"@loggers": "spacy.ConsoleLogger.v1", "progress_bar": False}
    nlp = init_nlp(config)
    if fault.nan_from < task.STEPS:
        spoil(nlp)
    train(nlp, stdout=sys.stdout, stderr=sys.stderr)


def spoil(nlp: object) -> None:
    """After 150 updates a parameter of the classifier is NaN."""
    classifier = nlp.get_pipe("textcat")
    updated, update = [0], classifier.update

    def wrapped(*given: object, **named: object) -> object:
        updated[0] += 1
        if updated[0] == 150:
            for node in classifier.model.walk():
                for name in node.param_names:
                    if node.has_param(name):
                        node.set_param(name, node.get_param(name) * float("nan"))
        return update(*given, **named)

    classifier.update = wrapped
