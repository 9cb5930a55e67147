/** Parses the user's `keybindings.yml` or pi's `keybindings.json`, and reports errors. */
import { nearest } from "@tau/utils";

import { readKeyId, type KeyId } from "./key-id.ts";
import type { KeybindingDefinitions } from "./keybinding-table.ts";
import type { KeybindingsConfig } from "./keybindings.ts";

export interface KeybindingsReading {
	config: KeybindingsConfig;
	/** One sentence for each error, with the name of the action; the rest of the file still applies. */
	problems: string[];
}

/** Actions may be written flat (`tui.editor.undo`), nested, or by the short names of old files (`undo`). */
export function readKeybindings(
	value: unknown,
	definitions: KeybindingDefinitions,
	/** The present names of actions that were renamed. */
	renamed: Readonly<Record<string, string>> = {},
): KeybindingsReading {
	const reading: KeybindingsReading = { config: {}, problems: [] };
	if (value === undefined || value === null) return reading;
	if (!isRecord(value)) {
		reading.problems.push("keybindings: expected a map of actions to keys");
		return reading;
	}
	readGroup(value, "", { definitions, renamed }, reading);
	return reading;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface ActionNames {
	readonly definitions: KeybindingDefinitions;
	readonly renamed: Readonly<Record<string, string>>;
}

function readGroup(
	group: Record<string, unknown>,
	prefix: string,
	names: ActionNames,
	reading: KeybindingsReading,
): void {
	for (const [name, value] of Object.entries(group)) {
		const written = prefix + name;
		if (isRecord(value)) {
			readGroup(value, `${written}.`, names, reading);
			continue;
		}
		const id = actionOf(written, names);
		if (id === undefined) {
			const [guess] = nearest(written, Object.keys(names.definitions), 1);
			reading.problems.push(
				`keybindings: unknown action ${written}${guess === undefined ? "" : `; did you mean ${guess}?`}`,
			);
			continue;
		}
		const isOld = id !== written;
		const keys = readKeys(written, value, reading.problems);
		// The present name wins over an old one beside it, whichever comes first.
		if (!isOld || reading.config[id] === undefined) reading.config[id] = keys;
	}
}

function readKeys(action: string, value: unknown, problems: string[]): KeyId[] {
	const keys: KeyId[] = [];
	for (const key of Array.isArray(value) ? value : value === null ? [] : [value]) {
		if (isKeyId(key)) keys.push(key);
		else problems.push(`keybindings: ${action}: invalid key ${JSON.stringify(key) ?? "undefined"}`);
	}
	return keys;
}

function isKeyId(value: unknown): value is KeyId {
	return typeof value === "string" && readKeyId(value) !== undefined;
}

function actionOf(written: string, { definitions, renamed }: ActionNames): string | undefined {
	if (Object.hasOwn(definitions, written)) return written;
	if (Object.hasOwn(renamed, written)) return renamed[written];
	if (written.includes(".")) return undefined;
	// Old names had no namespace, and those of lists began with "select".
	const inList = /^select(.)(.*)$/.exec(written);
	const short = inList === null ? written : `${inList[1]?.toLowerCase()}${inList[2]}`;
	const among = Object.keys(definitions).filter((id) => id.startsWith("tui.select.") === (inList !== null));
	return among.find((id) => id.endsWith(`.${short}`));
}
