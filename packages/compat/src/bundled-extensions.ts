/** Extensions that come with pi and are part of Tau itself: a session that loads them gets nothing twice. */
import type { ExtensionFactory } from "@tau/extensions/api";
import { virtualStateEntry } from "@tau/extensions/providers";

const nothing = (): ExtensionFactory => () => {};

export const bundledExtensions = {
	createCodemodeExtension: nothing,
	createMcpExtension: nothing,
	createToolSearchExtension: nothing,
	/** The kind of entry in which pi keeps how it chose among models. */
	VIRTUAL_MODEL_STATE_ENTRY: virtualStateEntry,
};
