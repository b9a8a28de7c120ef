"""Keras with the torch backend: its CSVLogger, the History as JSON, and the console of `fit`."""

import json
import os
import pathlib

import task

PACKAGES = ("keras", "torch")
FAULTS = ("healthy", "rate-x1000", "nan")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Fit for forty epochs with a validation set; NaN comes from the labels, as it does in life."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    import numpy

    keras.utils.set_random_seed(task.SEED)
    rows, held_out = task.Rows(), task.Rows(128, seed=2)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(fault.rate), loss="mse")
    callbacks = [keras.callbacks.CSVLogger(str(folder / "training.log"))]
    if fault.nan_from < task.STEPS:
        callbacks.append(keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, _: spoil(model, epoch)))
    history = model.fit(
        rows.x.numpy(), rows.y.numpy(), batch_size=task.BATCH, epochs=40, verbose=2, callbacks=callbacks,
        validation_data=(held_out.x.numpy(), held_out.y.numpy()),
    )  # fmt: skip
    kept = {name: [float(numpy.asarray(value)) for value in values] for name, values in history.history.items()}
    (folder / "history.json").write_text(json.dumps(kept))


def spoil(model: object, epoch: int) -> None:
    """From epoch 20 on a weight is NaN."""
    if epoch == 20:
        weights, bias = model.get_weights()
        model.set_weights([weights * float("nan"), bias])
