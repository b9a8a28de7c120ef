"""Intake: what is known of an artifact on its way into a run, and how it is moved without ever being half there."""
