/** The terminal: the door of the renderer and its components, which part 5 of the plan fills (docs/FEATURES.md). */
export {};
