/** The browser client: the door of the live, shared and local web views (docs/FEATURES.md). */
export {};
