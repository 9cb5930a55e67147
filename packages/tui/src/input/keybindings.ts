/** Which keys do what: the table of actions with the user's changes applied. */
import { decodeKey } from "./decode-key.ts";
import { readKeyId, spell, type KeyId } from "./key-id.ts";
import {
	TUI_KEYBINDINGS,
	type Keybinding,
	type KeybindingDefinition,
	type KeybindingDefinitions,
} from "./keybinding-table.ts";

/** The user's keys by action; an empty list removes an action's keys. */
export type KeybindingsConfig = Record<string, KeyId | KeyId[] | undefined>;

/** One key that does several things in the same context. */
export interface KeybindingConflict {
	key: KeyId;
	keybindings: string[];
}

export class KeybindingsManager {
	readonly #definitions: KeybindingDefinitions;
	#user: KeybindingsConfig = {};
	#keys = new Map<string, KeyId[]>();
	/** The actions of each chord, by its notation. */
	#byChord = new Map<string, string[]>();
	/** The actions of the last key: every component asks for its own in turn, about a hundred for a letter. */
	#pressed: { data: string; ids: ReadonlySet<string> } = { data: "", ids: new Set() };

	constructor(definitions: KeybindingDefinitions, userBindings: KeybindingsConfig = {}) {
		this.#definitions = definitions;
		this.setUserBindings(userBindings);
	}

	matches(data: string, keybinding: Keybinding): boolean {
		if (data !== this.#pressed.data) {
			const chords = decodeKey(data)?.chords ?? [];
			const ids = new Set(chords.flatMap((chord) => this.#byChord.get(spell(chord)) ?? []));
			this.#pressed = { data, ids };
		}
		return this.#pressed.ids.has(keybinding);
	}

	getKeys(keybinding: Keybinding): KeyId[] {
		return [...(this.#keys.get(keybinding) ?? [])];
	}

	getDefinition(keybinding: Keybinding): KeybindingDefinition {
		return this.#definitions[keybinding] ?? { defaultKeys: [] };
	}

	/** Conflicts that the user's changes caused; the table itself has none within a context. */
	getConflicts(): KeybindingConflict[] {
		const users = new Map<string, { key: KeyId; ids: string[] }>();
		for (const [id, keys] of this.#keys) {
			for (const key of keys) {
				const chord = readKeyId(key);
				if (chord === undefined) continue;
				const place = `${this.#contextOf(id)} ${spell(chord)}`;
				const entry = users.get(place) ?? { key, ids: [] };
				if (!entry.ids.includes(id)) entry.ids.push(id);
				users.set(place, entry);
			}
		}
		return [...users.values()]
			.filter(({ ids }) => ids.length > 1 && ids.some((id) => this.#user[id] !== undefined))
			.map(({ key, ids }) => ({ key, keybindings: ids }));
	}

	setUserBindings(userBindings: KeybindingsConfig): void {
		this.#user = { ...userBindings };
		this.#keys = new Map();
		for (const [id, { defaultKeys }] of Object.entries(this.#definitions)) {
			const chosen = this.#user[id] ?? defaultKeys;
			this.#keys.set(id, typeof chosen === "string" ? [chosen] : [...chosen]);
		}
		this.#pressed = { data: "", ids: new Set() };
		this.#byChord = new Map();
		for (const [id, keys] of this.#keys) {
			for (const chord of keys.flatMap((key) => readKeyId(key) ?? []))
				this.#byChord.set(spell(chord), [...(this.#byChord.get(spell(chord)) ?? []), id]);
		}
	}

	getUserBindings(): KeybindingsConfig {
		return { ...this.#user };
	}

	getResolvedBindings(): KeybindingsConfig {
		return Object.fromEntries([...this.#keys].map(([id, keys]) => [id, [...keys]]));
	}

	#contextOf(id: string): string {
		return this.#definitions[id]?.context ?? id.slice(0, id.lastIndexOf("."));
	}
}

let current: KeybindingsManager | undefined;

/** The application sets its own, with its own actions and the user's file. */
export function setKeybindings(keybindings: KeybindingsManager): void {
	current = keybindings;
}

export function getKeybindings(): KeybindingsManager {
	current ??= new KeybindingsManager(TUI_KEYBINDINGS);
	return current;
}
