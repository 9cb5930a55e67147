/** The browser client: the entry point of the live, shared and local web views (docs/FEATURES.md). */
export {};
