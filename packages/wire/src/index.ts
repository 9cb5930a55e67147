/** The session protocol for guests and watchers: the door that collaboration fills (docs/FEATURES.md). */
export {};
