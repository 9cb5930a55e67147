/** The server that strangers meet on: the door of rooms, shares and the model gateway (docs/FEATURES.md). */
export {};
