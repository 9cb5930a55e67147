/** Bounds of keyboard input, each with its reason. */

export const limits = {
	/** A lone ESC is the Escape key after this time: terminals write a sequence at once, a user cannot. */
	escapeMs: 10,
	/** The network may split a CSI or SS3 between two packets; users do not type one by hand. */
	sequenceMs: 100,
	/** Replies with a payload (OSC, DCS, APC) may take several packets; keys are lost until then, so not longer. */
	stringMs: 1_000,
	/** A paste whose end does not arrive within this silence is over, or a lost end would swallow every later key. */
	pasteStallMs: 5_000,
	/** The longest CSI: a kitty key with its text is below 100 characters. */
	csiChars: 256,
	/** The longest OSC, DCS or APC reply: capabilities and colors are below 1 KB, a clipboard reply is larger. */
	stringChars: 64 * 1024,
	/**
	 * The part of one paste that is kept: far above any prompt, far below trouble. The rest is dropped and counted.
	 */
	pasteChars: 16 * 1024 * 1024,
	/** Cached key ids; there are more only if ids are generated at run time. */
	parsedKeyIds: 1_024,
} as const;
