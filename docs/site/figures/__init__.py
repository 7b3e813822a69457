"""The figures of the pages, drawn from runs of the program and from measured tables of bench/."""
