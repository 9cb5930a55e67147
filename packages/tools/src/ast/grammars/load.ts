/** Makes the grammars that are libraries known to the engine, once a process. */
import { loadableLibrary } from "@tau/sys";

import { languages } from "../languages.ts";

type Libraries = Readonly<Record<string, string>>;

let loading: Promise<void> | undefined;

/** Rejects when there are no grammars for this machine. */
export function loadGrammars(): Promise<void> {
	return (loading ??= register());
}

async function register(): Promise<void> {
	const libraries = await librariesHere();
	if (!libraries) throw new Error(`No grammars are available for ${process.platform} ${process.arch}.`);
	const { registerDynamicLanguage } = await import("@ast-grep/napi");
	const entries = languages.flatMap(({ engine, extensions, library }) => {
		const path = libraries[engine];
		if (!library || path === undefined) return [];
		const { symbol: languageSymbol, letter: expandoChar } = library;
		const libraryPath = loadableLibrary(path, engine);
		const registration = { libraryPath, extensions: [...extensions], languageSymbol, expandoChar };
		return [[engine, registration] satisfies [string, object]];
	});
	registerDynamicLanguage(Object.fromEntries(entries));
}

/** Written so that a build for one machine carries the libraries of that machine alone. */
async function librariesHere(): Promise<Libraries | undefined> {
	if (process.platform === "linux") {
		if (process.arch === "x64") return (await import("./linux-x64.ts")).default;
		if (process.arch === "arm64") return (await import("./linux-arm64.ts")).default;
	}
	if (process.platform === "darwin") {
		if (process.arch === "arm64") return (await import("./darwin-arm64.ts")).default;
		if (process.arch === "x64") return (await import("./darwin-x64.ts")).default;
	}
	if (process.platform === "win32" && process.arch === "x64") return (await import("./win32-x64.ts")).default;
	return undefined;
}
