#!/usr/bin/env python3
"""CPU seconds, on one thread, that Opacus takes for an epoch of Adult's wide model with 16 units.

    bench/speed/opacus_epoch.py BATCH STEPS

For an interpreter that has torch and opacus, which nothing else here needs; bench/utility/wide_tables.py
--opacus runs it. Records are of Adult's shape: 108 numbers, 14 of them not 0; per-sample gradients
by Opacus's default, Poisson samples, Adam.
"""

import os
import sys
import time
import warnings

for library in ("OPENBLAS", "OMP", "MKL"):  # threads that wait cost processor time too
    os.environ[f"{library}_NUM_THREADS"] = "1"

import torch  # noqa: E402
from opacus import PrivacyEngine  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

RECORDS, COLUMNS, FILLED = 32561, 108, 14


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(COLUMNS, 16)
        self.output = torch.nn.Linear(16, 1)
        self.linear = torch.nn.Linear(COLUMNS, 1, bias=False)

    def forward(self, x):
        return (self.output(torch.relu(self.hidden(x))) + self.linear(x))[:, 0]


def main():
    batch, steps = map(int, sys.argv[1:])
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    records = torch.zeros(RECORDS, COLUMNS)
    records.scatter_(1, torch.rand(RECORDS, COLUMNS).topk(FILLED).indices, FILLED ** -0.5)
    labels = (torch.rand(RECORDS) < 0.24).float()
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(records, labels), batch_size=batch)
    net, optimizer, loader = PrivacyEngine().make_private(
        module=net, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0,
        max_grad_norm=1.0)
    loss = torch.nn.BCEWithLogitsLoss()
    done, start = -2, 0  # two steps to warm up
    while done < steps:
        for some, wanted in loader:
            if done == 0:
                start = time.process_time()
            optimizer.zero_grad()
            loss(net(some), wanted).backward()
            optimizer.step()
            done += 1
            if done == steps:
                break
    print((time.process_time() - start) / steps * RECORDS / batch)


if __name__ == "__main__":
    main()
