/** The machine: running commands and owning the processes that they start. */
export {};
