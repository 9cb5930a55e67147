/** The table of adapters with the user's own: new rows, changed ones, and those that are switched off. */
import { once } from "@tau/utils";
import { z } from "zod";

import type { AdapterRow } from "./adapter-row.ts";
import { adapterTable } from "./table.ts";

const ownRow = once(() =>
	z.looseObject({
		command: z.union([z.string().min(1), z.tuple([z.string()], z.string())]).optional(),
		args: z.array(z.string()).optional(),
		files: z.array(z.string()).optional(),
		native: z.boolean().optional(),
		tcp: z.boolean().optional(),
		type: z.string().optional(),
		configuration: z.record(z.string(), z.unknown()).optional(),
		disabled: z.boolean().optional(),
	}),
);

export interface Rows {
	readonly rows: readonly AdapterRow[];
	readonly problems: readonly string[];
}

/** The user's own adapters come first: they are meant. */
export function adapterRows(own: Readonly<Record<string, unknown>>): Rows {
	const problems: string[] = [];
	const rows: AdapterRow[] = [];
	for (const [name, value] of Object.entries(own)) {
		const parsed = ownRow().safeParse(value);
		if (!parsed.success) {
			const [issue] = parsed.error.issues;
			problems.push(
				`debug.adapters.${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "invalid"}`,
			);
			continue;
		}
		if (parsed.data.disabled) continue;
		const row = merged(
			name,
			parsed.data,
			adapterTable.find((each) => each.name === name),
		);
		if (row) rows.push(row);
		else problems.push(`debug.adapters.${name}: it needs a command.`);
	}
	return { rows: [...rows, ...adapterTable.filter(({ name }) => !(name in own))], problems };
}

function merged(
	name: string,
	own: z.infer<ReturnType<typeof ownRow>>,
	known: AdapterRow | undefined,
): AdapterRow | undefined {
	const command = typeof own.command === "string" ? ([own.command] as const) : own.command;
	const [program, ...args] = command ?? (known ? [known.command[0]] : []);
	if (program === undefined) return undefined;
	const usual = command ? args : known?.command.slice(1);
	const { alsoCalled, alsoAt, scriptRunner, probe, ...base } = known ?? {
		files: [],
		type: name,
		install: "",
		launch: ({ program: file, args: words, cwd, env, stopOnEntry }) => ({
			program: file,
			args: words,
			cwd,
			env,
			stopOnEntry,
		}),
	};
	const search = {
		...(alsoCalled ? { alsoCalled } : {}),
		...(alsoAt ? { alsoAt } : {}),
		...(scriptRunner === undefined ? {} : { scriptRunner }),
		...(probe ? { probe } : {}),
	};
	return {
		...base,
		...(command ? {} : search),
		name,
		command: [program, ...(own.args ?? usual ?? [])],
		files: own.files ?? base.files,
		type: own.type ?? base.type,
		...(own.native ? { native: true } : {}),
		...(own.tcp ? { tcp: true } : {}),
		...(own.configuration ? { configuration: own.configuration } : {}),
	};
}
