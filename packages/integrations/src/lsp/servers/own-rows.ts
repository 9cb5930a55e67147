/** The table of servers with the user's own: new rows, changed ones, and those that are switched off. */
import { once } from "@tau/utils";
import { z } from "zod";

import type { ServerRow } from "./server-row.ts";
import { serverTable } from "./table.ts";

const ownRow = once(() => {
	const words = z.array(z.string());
	return z.looseObject({
		command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
		args: words.optional(),
		/** `extensions: [".ts"]` as other programs have it, or `files: { ".ts": "typescript" }`. */
		files: z.record(z.string(), z.string()).optional(),
		extensions: words.optional(),
		fileTypes: words.optional(),
		roots: words.optional(),
		rootMarkers: words.optional(),
		initializationOptions: z.record(z.string(), z.unknown()).optional(),
		initOptions: z.record(z.string(), z.unknown()).optional(),
		settings: z.record(z.string(), z.unknown()).optional(),
		isLinter: z.boolean().optional(),
		disabled: z.boolean().optional(),
	});
});

export interface Rows {
	readonly rows: readonly ServerRow[];
	readonly problems: readonly string[];
}

/** The user's own servers come first: they are meant. */
export function serverRows(own: Readonly<Record<string, unknown>>): Rows {
	const problems: string[] = [];
	const named = new Map<string, ServerRow | undefined>();
	for (const [name, value] of Object.entries(own)) {
		const parsed = ownRow().safeParse(value);
		if (!parsed.success) {
			const [issue] = parsed.error.issues;
			problems.push(
				`lsp.servers.${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "invalid"}`,
			);
			continue;
		}
		const known = serverTable.find((row) => row.name === name);
		const row = parsed.data.disabled ? undefined : merged(name, parsed.data, known);
		if (typeof row === "string") problems.push(row);
		else named.set(name, row);
	}
	const others = serverTable.filter(({ name }) => !named.has(name));
	return { rows: [...[...named.values()].filter((row) => row !== undefined), ...others], problems };
}

function merged(
	name: string,
	own: z.infer<ReturnType<typeof ownRow>>,
	known: ServerRow | undefined,
): ServerRow | string {
	const given = typeof own.command === "string" ? [own.command] : own.command;
	const [program, ...args] = given ? [...given, ...(own.args ?? [])] : withArgs(known, own.args);
	const endings = [...(own.extensions ?? []), ...(own.fileTypes ?? [])].map((text) =>
		text.startsWith(".") ? text : `.${text}`,
	);
	const files = { ...own.files, ...Object.fromEntries(endings.map((ending) => [ending, ending.slice(1)])) };
	const hasFiles = Object.keys(files).length > 0;
	if (program === undefined) return `lsp.servers.${name}: it needs a command.`;
	if (!hasFiles && !known) return `lsp.servers.${name}: it needs files, such as { ".abc": "abc" }.`;
	const options = own.initializationOptions ?? own.initOptions;
	const { ownPackage: _, alsoCalled: __, ...base } = known ?? { roots: [], install: "" };
	return {
		...(given ? base : (known ?? base)),
		name,
		files: hasFiles ? files : (known?.files ?? {}),
		roots: own.roots ?? own.rootMarkers ?? base.roots,
		install: base.install,
		command: [program, ...args],
		...(options ? { initializationOptions: options } : {}),
		...(own.settings ? { settings: own.settings } : {}),
		...(own.isLinter ? { isLinter: true } : {}),
	};
}

function withArgs(known: ServerRow | undefined, args: readonly string[] | undefined): string[] {
	if (!known) return [];
	return args ? [known.command[0], ...args] : [...known.command];
}
