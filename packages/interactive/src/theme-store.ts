/** The current theme: chosen by name or by the light of the terminal, and changed while everything runs. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import {
	builtinThemeFacts,
	builtinThemeNames,
	colorBlindFacts,
	parseTheme,
	Theme,
	type BuiltinThemeName,
	type ColorMode,
	type ThemeFacts,
} from "@tau/tui";
import { log, nearest, onDispose } from "@tau/utils";

export type Appearance = "dark" | "light";

export interface ThemeChoice {
	name: string;
	/** The file that it comes from. */
	path?: string;
}

export interface ThemeStoreOptions {
	mode: ColorMode;
	/** The directory of the user's own themes; absent if they are not to be loaded. */
	directory: string | undefined;
	/** Theme files that take precedence over all others. */
	named?: readonly string[] | undefined;
	/** See `ThemeStore.packaged`. */
	packaged?: (() => readonly string[]) | undefined;
	/** A name, `auto`, or one for a light terminal and one for a dark one: `day/night`. */
	name: string;
	appearance: Appearance;
	/** See `setColorBlind`. */
	isColorBlind?: boolean | undefined;
}

/** The user chose the theme, or the terminal has become dark or light. */
export type ThemeReason = "chosen" | "light";

export type ThemeChange = { ok: true } | { ok: false; message: string };

export class ThemeStore {
	readonly #mode: ColorMode;
	readonly #directory: string | undefined;
	readonly #named: readonly string[];
	/** Theme files of packages; read only when a theme is searched. */
	packaged: () => readonly string[];
	readonly #listeners = new Set<(theme: Theme, why: ThemeReason) => void>();
	#name: string;
	#appearance: Appearance;
	#current: Theme;
	#isColorBlind: boolean;
	#isPreview = false;

	constructor({ mode, directory, named = [], packaged, name, appearance, isColorBlind }: ThemeStoreOptions) {
		this.#isColorBlind = isColorBlind === true;
		this.#mode = mode;
		this.#directory = directory;
		this.#named = named;
		this.packaged = packaged ?? (() => []);
		this.#appearance = appearance;
		this.#name = name;
		const result = this.#find(name);
		this.#current = result.ok ? result.theme : this.#builtin(appearance);
		if (!result.ok) this.#name = "auto";
	}

	get current(): Theme {
		return this.#current;
	}

	/** The user's choice: a name, or `auto`. */
	get name(): string {
		return this.#name;
	}

	list(): ThemeChoice[] {
		const named = new Map(this.#named.toReversed().map((path) => [nameOf(path), path]));
		const own = [...new Map([...this.#files().map((path) => [nameOf(path), path] as const), ...named])].map(
			([name, path]) => ({ name, path }),
		);
		const builtin = builtinThemeNames.filter((name) => !own.some((theme) => theme.name === name));
		const known = new Set<string>([...own.map(({ name }) => name), ...builtinThemeNames]);
		const packaged = this.packaged()
			.map((path) => ({ name: nameOf(path), path }))
			.filter(({ name }) => !known.has(name));
		return [{ name: "auto" }, ...builtin.map((name) => ({ name })), ...own, ...packaged];
	}

	set(name: string): ThemeChange {
		const result = this.#find(name);
		if (!result.ok) return result;
		this.#name = name;
		this.#use(result.theme);
		return { ok: true };
	}

	/** Shows a theme without selecting it: what scrolled off the screen stays unchanged. */
	preview(name: string): void {
		const result = this.#find(name);
		if (!result.ok) return;
		this.#isPreview = true;
		this.#use(result.theme, "light");
	}

	/** Returns the theme of this name; undefined if it does not exist or is invalid. */
	load(name: string): Theme | undefined {
		const result = this.#find(name);
		return result.ok ? result.theme : undefined;
	}

	/** A custom theme object, until another theme is selected. */
	use(theme: Theme): void {
		this.#name = theme.name;
		this.#use(theme);
	}

	/** The terminal has become dark or light: what was chosen by its light follows. */
	setAppearance(appearance: Appearance): void {
		if (appearance === this.#appearance) return;
		this.#appearance = appearance;
		if (this.#name !== "auto" && !this.#name.includes("/")) return;
		const result = this.#find(this.#name);
		if (result.ok) this.#use(result.theme, "light");
	}

	/** Whether diffs are blue and orange, whatever the theme. */
	setColorBlind(on: boolean): void {
		if (on === this.#isColorBlind) return;
		this.#isColorBlind = on;
		const result = this.#find(this.#name);
		if (result.ok) this.#show(result.theme, "chosen");
	}

	onChange(listener: (theme: Theme, why: ThemeReason) => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	#use(theme: Theme, why: ThemeReason = "chosen"): void {
		const isSame = theme === this.#current || (theme.name === this.#current.name && isBuiltin(theme));
		// One that was only shown so far is not everywhere yet.
		if (isSame && !(this.#isPreview && why === "chosen")) return;
		if (why === "chosen") this.#isPreview = false;
		this.#show(theme, why);
	}

	#show(theme: Theme, why: ThemeReason): void {
		this.#current = theme;
		for (const listener of this.#listeners) listener(theme, why);
	}

	#builtin(name: BuiltinThemeName): Theme {
		return this.#made(builtinThemeFacts(name));
	}

	#made(facts: ThemeFacts): Theme {
		return new Theme(this.#isColorBlind ? colorBlindFacts(facts) : facts, this.#mode);
	}

	/** A theme file of the user takes precedence over a built-in theme of the same name. */
	#find(name: string): { ok: true; theme: Theme } | { ok: false; message: string } {
		if (name === "auto") return { ok: true, theme: this.#builtin(this.#appearance) };
		const [day = name, night, ...more] = name.split("/");
		if (night !== undefined && more.length === 0)
			return this.#find(this.#appearance === "light" ? day : night);
		const own = [...this.#named, ...this.#files()].find((path) => nameOf(path) === name);
		if (own !== undefined) return this.#read(own);
		const builtin = builtinThemeNames.find((known) => known === name);
		if (builtin) return { ok: true, theme: this.#builtin(builtin) };
		const packaged = this.packaged().find((path) => nameOf(path) === name);
		if (packaged !== undefined) return this.#read(packaged);
		const names = this.list().map((theme) => theme.name);
		const [guess] = nearest(name, names, 1);
		const hint = guess === undefined ? `Available: ${names.join(", ")}.` : `Did you mean ${guess}?`;
		return { ok: false, message: `Theme ${name} not found. ${hint}` };
	}

	#read(path: string): { ok: true; theme: Theme } | { ok: false; message: string } {
		try {
			const parsed = parseTheme(JSON.parse(readFileSync(path, "utf8")), path);
			if (parsed.ok) return { ok: true, theme: this.#made(parsed.theme) };
			return { ok: false, message: `${path}: ${parsed.problems.join(" ")}` };
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			return { ok: false, message: `Cannot read ${path}: ${reason}` };
		}
	}

	#files(): string[] {
		const directory = this.#directory;
		if (directory === undefined) return [];
		try {
			const files = readdirSync(directory).filter((file) => file.endsWith(".json"));
			return files.map((file) => join(directory, file));
		} catch (error) {
			// Most users have no themes of their own, and no directory for them.
			log.debug("no themes directory", { reason: String(error) });
			return [];
		}
	}
}

/** Two of them with one name are the same. */
function isBuiltin({ name, sourcePath }: Theme): boolean {
	return sourcePath === undefined && builtinThemeNames.some((known) => known === name);
}

function nameOf(path: string): string {
	return basename(path, ".json");
}
