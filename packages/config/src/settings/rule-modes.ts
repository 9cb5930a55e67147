/** The modes in which a stream rule may act. */
export const interruptModes = ["always", "prose-only", "tool-only", "never"] as const;
export const contextModes = ["discard", "keep"] as const;
export const repeatModes = ["once", "after-gap"] as const;
