/** The keys of the user for components that are drawn for terminals elsewhere. */
import { getKeybindings, setKeybindings, type KeybindingsManager } from "@tau/tui";

import { loadKeys, newKeys } from "../keys.ts";

/** Where there is a screen, its keys; otherwise those of the user's file, for every component of this process. */
export async function keysFor(agentDir: string, hasScreen: boolean): Promise<KeybindingsManager> {
	if (hasScreen) return getKeybindings();
	const keys = newKeys();
	// What is wrong with the file is said by the terminal that has joined.
	await loadKeys(keys, agentDir);
	setKeybindings(keys);
	return keys;
}
