/** The server that strangers meet on: the entry point of rooms, shares and the model gateway (docs/FEATURES.md). */
export {};
