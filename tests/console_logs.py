"""Console logs in the forms that trainers print: a line (or a few) for each step, filled with losses of our own."""

import math
from collections.abc import Callable
from typing import NamedTuple

Line = Callable[[int, float, float], str]


class Form(NamedTuple):
    """A file name, what stands before the steps, what is printed for a step (number, loss, evaluation loss), and the
    number of the line within it that holds the loss.
    """

    name: str
    line: Line
    before: str = ""
    loss_line: int = 1


def losses(points: int = 60) -> list[float]:
    return [round(2.5 * math.exp(-i / 20) + 0.4 + 0.02 * (i % 3), 4) for i in range(points)]


def text(form: Form, values: list[float]) -> str:
    return form.before + "".join(form.line(i, value, value + 0.05) for i, value in enumerate(values))


FORMS = {
    "hf": Form("train.log", lambda i, x, v: f"{{'loss': {x}, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': {i / 20}}}\n"),
    "hf5": Form("train.log", lambda i, x, v: f"{{'loss': '{x}', 'grad_norm': '1.2', 'learning_rate': '4e-05', 'epoch': '{i / 20}'}}\n"),
    "hf-quoted": Form("output.log", lambda i, x, v: f"{{\u2018loss\u2019: {x}, \u2018learning_rate\u2019: 4e-05, \u2018epoch\u2019: {i / 20}}}\n"),
    "hf-bar": Form(
        "nohup.out", lambda i, x, v: f"\r {i:3d}%|##   | {i}/60 [00:01<00:10, 6.5s/it]\r      \r{{'loss': {x}, 'epoch': {i / 20}}}\n"
    ),
    "hf-wrapped": Form(
        "output.log", lambda i, x, v: f"{{'loss': {x}, 'grad_norm': 1.23456, 'learning_rate': 4.12345e-0\n5, 'epoch': {i / 20}}}\n"
    ),
    "colon": Form("a.log", lambda i, x, v: f"epoch: {i + 1:03d}, loss: {x}, time: 1.2s\n"),
    "equals": Form("a.log", lambda i, x, v: f"[INFO] 2024-01-01 epoch={i} train_loss={x} val_loss={v} lr=0.001\n"),
    "bars": Form("a.out", lambda i, x, v: f"Step {i * 25:5d} | loss: {x} | grad_norm: 3.08 | lr: 1.997e-04 | epoch: 0.15\n"),
    "nanogpt": Form("a.log", lambda i, x, v: f"2023-03-22 09:30:39 iter {i * 10}: loss {x}, time 1099.34ms, mfu 15.34%\n"),
    "llmc": Form("a.log", lambda i, x, v: f"{i * 10} | loss {x} | lr 3.000000e-04 | 13600.00ms\n"),
    "fairseq": Form("train.log", lambda i, x, v: f'2021-01-01 10:00:00 | INFO | train_inner | {{"epoch": 1, "loss": "{x}", "num_updates": "{i * 100}", "lr": "1e-05"}}\n'),
    "fairseq-plain": Form("train.log", lambda i, x, v: f"epoch 001: {i * 100:5d} / 60000 loss={x}, ppl=10.2, wps=12345, num_updates={i * 100}, lr=1.5e-05, gnorm=1.2\n"),
    "opennmt": Form("train.log", lambda i, x, v: f"[2024-05-08 04:06:12,127 INFO] Step {i * 50}/9000; acc: 7.5; ppl: 9.1; xent: {x}; lr: 0.00012; 1234/1500 tok/s; 12 sec\n", "improving ppl inf to 5.45\n"),
    "megatron": Form("a.log", lambda i, x, v: f" iteration {i * 100:8d}/  500000 | learning rate: 1.500E-04 | lm loss: {x:.6E} | loss scale: 65536.0 | grad norm: 1.214 |\n"),
    "mmengine": Form("nohup.out", lambda i, x, v: f"08/03 22:09:24 - mmengine - INFO - Epoch(train)  [{i // 10 + 1}][{i % 10 * 50:4d}/2931]  lr: 2.0e-02  eta: 0:39:15  time: 0.0578  loss: {x}  loss_cls: 0.1\n"),
    "mmdet": Form("a.log", lambda i, x, v: f"2021-08-03 22:09:24,123 - mmdet - INFO - Epoch [{i // 10 + 1}][{i % 10 * 50 + 50}/500]\tlr: 2.0e-02, time: 0.578, loss_cls: 0.1, loss: {x}\n"),
    "detectron2": Form("log.txt", lambda i, x, v: f"[09/01 12:00:00 d2.utils.events]:  eta: 0:12:01  iter: {i * 20 + 19}  total_loss: {x}  loss_cls: 0.1  time: 0.2131  lr: 1.9e-05\n"),
    "timm": Form("train.log", lambda i, x, v: f"Train: {i // 10} [{i % 10 * 50:4d}/1251 ({i}%)]  Loss: {x} (6.92)  Time: 0.512s  LR: 1.000e-03\n"),
    "paddle": Form("a.log", lambda i, x, v: f"[2021/09/01 12:00:00] ppcls INFO: [Train][Epoch {i // 10 + 1}/100][Iter: {i % 10 * 10}/100]lr: 0.1, top1: 0.1, loss: {x}, ips: 100 images/sec\n"),
    "keras": Form("a.log", lambda i, x, v: f"Epoch {i + 1}/60\n100/100 [==============================] - 3s 30ms/step - loss: {x} - val_loss: {v}\n", loss_line=2),
    "keras3": Form("a.log", lambda i, x, v: f"Epoch {i + 1}/60\n\x1b[1m100/100\x1b[0m \x1b[32m━━━━━\x1b[0m \x1b[1m3s\x1b[0m 30ms/step - accuracy: 0.8 - loss: {x} - val_loss: {v}\n", loss_line=2),
    "lightning": Form("a.log", lambda i, x, v: f"Epoch {i}: 100%|##########| 12/12 [00:01<00:00, 9.50it/s, loss={x}, v_num=0, val_loss={v}]\n"),
    "imagenet": Form("a.log", lambda i, x, v: f"Epoch: [{i // 10}][{i % 10 * 10:4d}/5005]\tTime  0.541 ( 1.20)\tLoss {x} (2.0)\tAcc@1   1.56 (  1.00)\n"),
    "mnist": Form("a.log", lambda i, x, v: f"Train Epoch: {i // 10 + 1} [{i % 10 * 640}/60000 ({i % 10}%)]\tLoss: {x}\n" + (f"\nTest set: Average loss: {v}, Accuracy: 9000/10000 (90%)\n" if i == 59 else "")),
    "word-lm": Form("a.log", lambda i, x, v: f"| epoch {i // 20 + 1:3d} | {i % 20 * 200:5d}/ 2983 batches | lr 20.00 | ms/batch 41.23 | loss {x} | ppl  20.78\n"),
    "flair": Form("a.log", lambda i, x, v: f"2023-01-01 10:00:00,123 epoch {i // 10 + 1} - iter {i % 10 * 5 + 5}/59 - loss {x} - samples/sec: 300.1 - lr: 0.100000\n"),
    "coqui": Form("trainer_0_log.txt", lambda i, x, v: f"   --> TIME: 2026-02-11 01:00:00 -- STEP: {i % 9}/9 -- GLOBAL_STEP: {i * 50}\n     | > loss: {x}  (2.5)\n     | > grad_norm: 1.1  (1.0)\n", loss_line=2),
    "box": Form("log.txt", lambda i, x, v: f"-----------------------\n| grad_norm | 1.1 |\n| loss      | {x} |\n| step      | {i:<8} |\n-----------------------\n", loss_line=3),
    "notebook": Form("out.txt", lambda i, x, v: f"{i * 10 + 10}\t{x}\t{v}\n", "Step\tTraining Loss\tValidation Loss\n"),
    "pipes": Form("out.txt", lambda i, x, v: f"{i + 1} | {x} | -17.25\n", "Step | Training Loss | kl\n-- | -- | --\n"),
    "fastai": Form("out.txt", lambda i, x, v: f"{i}         {x}    {v}    0.800000  00:10\n", "epoch     train_loss  valid_loss  accuracy  time\n"),
    "yolov8": Form("a.log", lambda i, x, v: f"      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n      {i + 1}/60      2.3G      {x}      {x}      {x}         40        640: 100%|##########| 10/10 [00:05<00:00]\n", loss_line=2),
    "yolov3": Form("a.log", lambda i, x, v: f"   0/272     {i}/7328       {x}       0.1       0.2       0.3       0.9       116     0.273\n"),
    "xgboost": Form("train.log", lambda i, x, v: f"[{i}]\ttrain-logloss:{x}\teval-logloss:{v}\n"),
    "lightgbm": Form("train.log", lambda i, x, v: f"[{i + 1}]\ttraining's binary_logloss: {x}\tvalid_1's binary_logloss: {v}\n"),
    "torchtune": Form("log.txt", lambda i, x, v: f"Step {i + 1} | loss:{x} lr:2e-05 tokens_per_second_per_gpu:1234.5\n"),
    "thousands": Form("a.log", lambda i, x, v: f"step {i * 100 + 1000:,}, loss {x}, 12,345 tokens/s\n"),
    "yaml-like": Form("out.txt", lambda i, x, v: f"epoch {i + 1}\n  train:\n    loss: {x}\n  val:\n    loss: {v}\n", loss_line=3),
    "darknet": Form("train.log", lambda i, x, v: f" {i + 1}: 9.5, {x} avg loss, 0.001000 rate, 5.123456 seconds, {i * 64 + 64} images\n"),
    "darknet-plain": Form("train.log", lambda i, x, v: f"Region 82 Avg IOU: 0.4, Class: 0.5, Obj: 0.4, count: 5\n{i + 1}: 9.5, {x} avg, 0.001000 rate, 5.123456 seconds, {i * 64 + 64} images\n", loss_line=2),
    "xgboost-rmse": Form("train.log", lambda i, x, v: f"[{i}]\ttrain-rmse:{x}\teval-rmse:{v}\n"),
    "xgboost-sets": Form("train.log", lambda i, x, v: f"[{i}]\tvalidation_0-logloss:{x}\tvalidation_1-logloss:{v}\n"),
    "lightgbm-l2": Form("train.log", lambda i, x, v: f"[{i + 1}]\ttraining's l2: {x}\tvalid_1's l2: {v}\n"),
    "lightgbm-cli": Form("train.log", lambda i, x, v: f"[LightGBM] [Info] Iteration:{i + 1}, training binary_logloss : {x}\n[LightGBM] [Info] Iteration:{i + 1}, valid_1 binary_logloss : {v}\n"),
    "catboost": Form("train.log", lambda i, x, v: f"{i}:\tlearn: {x}\ttest: {v}\tbest: {v} ({i})\ttotal: {i * 12}ms\tremaining: {60 - i}s\n"),
    "catboost-learn": Form("train.log", lambda i, x, v: f"{i}:\tlearn: {x}\ttotal: {i * 12}ms\tremaining: {60 - i}s\n"),
    "spacy": Form("train.log", lambda i, x, v: f"{i // 6:3d}  {i * 200:6d}       {i * 90}.17     {x}   55.31   54.20   56.46    0.55\n", "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE \n---  ------  ------------  --------  ------  ------  ------  ------\n"),
    "commented-header": Form("lcurve.out", lambda i, x, v: f"{i * 100:7d}      {v}    {x}      1.0e-03\n", "#  step      rmse_val    rmse_trn         lr\n"),
    "megatron-validation": Form("train.log", lambda i, x, v: f" iteration {i * 100:8d}/  500000 | consumed samples: {i * 512:12d} | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: 1.214 |\n{'-' * 90}\n validation loss at iteration {i * 100} | lm loss value: {v:.6E} | lm loss PPL: 9.1E+00 | \n{'-' * 90}\n"),
    "torchtitan": Form("train.log", lambda i, x, v: f"[rank0]:[titan] 2025-01-01 10:00:00,123 - root - INFO - \x1b[31mstep: {i + 1:2}  \x1b[32mloss: {x:7.4f}  \x1b[38;2;180;60;0mgrad_norm:  1.1234  \x1b[33mmemory: 35.54GiB(44.86%)  \x1b[34mtps: 5,600  \x1b[35mmfu: 32.37%\x1b[39m\n"),
    "composer": Form("train.log", lambda i, x, v: f"[batch={i + 1}/60]:\n\t Train time/sample: {i * 256}\n\t Train loss/train/total: {x}\n\t Train metrics/train/LanguagePerplexity: 12.1\n", loss_line=3),
    "speedrun": Form("train.log", lambda i, x, v: f"step:{i + 1}/60 train_loss:{x} train_time:{i * 100}ms step_avg:98.20ms\n"),
    "diffusers": Form("train.log", lambda i, x, v: f"Steps:  10%|#  | {i + 1}/60 [00:01<05:00,  1.20it/s, lr=1e-5, step_loss={x}]\n"),
    "table-of-rich": Form("train.log", lambda i, x, v: f"│ {i + 1:5d} │ {x:10.4f} │ {v:8.4f} │\n", "┃ Epoch ┃ Train Loss ┃ Val Loss ┃\n"),
    "table-with-commas": Form("train.log", lambda i, x, v: f"{i},{x},{v},0.001\n", "Using device: cuda\nepoch,train_loss,val_loss,lr\n"),
    "cost-after": Form("train.log", lambda i, x, v: f"Cost after iteration {i * 100}: {x}\n"),
    "average-at": Form("train.log", lambda i, x, v: f"Average loss at step {i * 2000} : {x}\n"),
    "tensor": Form("train.log", lambda i, x, v: f"Epoch: {i + 1} Loss: tensor({x}, device='cuda:0', grad_fn=<NllLossBackward0>)\n"),
    "numpy": Form("train.log", lambda i, x, v: f"{{'epoch': {i}, 'loss': np.float64({x}), 'val_loss': np.float64({v})}}\n"),
    "bar-with-duration": Form("train.log", lambda i, x, v: f" [=====>...]  Step: 12ms | Tot: 1s234ms | Loss: {x} | Acc: 50.1% {i + 1}/391 \n"),
    "gluon": Form("train.log", lambda i, x, v: f"[Epoch {i // 20}][Batch {i % 20 * 50}], Speed: 30.1 samples/sec, CrossEntropy={x}\n"),
    "early-stopping": Form("train.log", lambda i, x, v: f"Epoch: {i + 1}, Steps: 60 | Train Loss: {x} Vali Loss: {v} Test Loss: {v}\nValidation loss decreased ({'inf' if not i else v} --> {v}).  Saving model ...\n", "Namespace(learning_rate=0.0001, loss='mse', train_epochs=60)\n"),
    "llm.c": Form("main.log", lambda i, x, v: f"s:{i} trl:{x} lr:0.000600 norm:1.2\n"),
    "tensorflow1": Form("a.log", lambda i, x, v: f"INFO:tensorflow:loss = {x}, step = {i * 100} (12.345 sec)\n"),
}  # fmt: skip
