/** What pi and omp publish, and what Tau supports of it: the rows of names.tsv, and the counts of docs/compatibility.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventNames, isKnownEvent, Extension, createApi, createCommandContext } from "@tau/extensions/api";
import { Runtime, createToolContext } from "@tau/extensions/host";
import { noSchemaLibraries } from "@tau/extensions/support";
import { headlessUI } from "@tau/extensions/ui";

import { classSections } from "./class-members.ts";
import { packageNames, statesOf, type ExportState, type PackageName } from "../exports/states.ts";

export interface Row {
	name: string;
	/** The versions that have it. */
	published: string[];
	state: ExportState["state"] | "absent" | "type";
	note: string;
	/** The test or example in which it is seen. */
	shown: string;
}

export interface Section {
	title: string;
	/** What `shown.json` calls it. */
	key: string;
	rows: Row[];
}

interface Published {
	exports: Record<PackageName, Record<string, { values: string[]; types: string[] }>>;
	members: Record<MemberKind, Record<string, string[]>>;
}

const memberKinds = { events: "Events", api: "`pi.…`", context: "`ctx.…`", ui: "`ctx.ui.…`" } as const;
type MemberKind = keyof typeof memberKinds;

/** Where what is true of many names at once is shown. */
const generalTest = "packages/compat/src/exports/exports.test.ts";
const memberTest = "packages/compat/src/compatibility/page.test.ts";

function data<T>(name: string): T {
	return JSON.parse(readFileSync(join(import.meta.dir, name), "utf8")) as T;
}

export async function sections(): Promise<Section[]> {
	const published = data<Published>("published.json");
	const shown = data<Record<string, Record<string, string>>>("shown.json");
	const members = (Object.keys(memberKinds) as MemberKind[]).map((kind) =>
		memberSection(kind, published.members[kind], shown[kind] ?? {}),
	);
	const exports = await Promise.all(
		packageNames.map((name) => exportSections(name, published.exports[name], shown[name] ?? {})),
	);
	return [...members, ...exports.flat(), ...(await classSections())];
}

function memberSection(
	kind: MemberKind,
	versions: Record<string, string[]>,
	shown: Record<string, string>,
): Section {
	const absent = data<Record<MemberKind, Record<string, string>>>("absent.json")[kind];
	const own = ownMembers(kind);
	const rows = [...byName(versions)].map(([name, published]): Row => {
		if (own.get(name) === "real")
			return { name, published, state: "real", note: "–", shown: shown[name] ?? memberTest };
		// Waiting for an event that is never emitted, or a call without an effect, does no harm.
		const state = own.has(name) || (kind === "events" && isKnownEvent(name)) ? "harmless" : "refused";
		return { name, published, state, note: absent[name] ?? "", shown: memberTest };
	});
	return { title: memberKinds[kind], key: kind, rows };
}

/** What an extension finds at run time, by asking the things themselves; what is only there to be called is hidden. */
export function ownMembers(kind: MemberKind): ReadonlyMap<string, "real" | "harmless"> {
	if (kind === "events") return new Map(eventNames.map((name) => [name, "real"]));
	const extension = new Extension("/coverage.ts", {
		path: "/coverage.ts",
		source: "coverage",
		scope: "temporary",
		origin: "top-level",
	});
	const runtime = new Runtime();
	const unused = (): never => {
		throw new Error("Nobody asks.");
	};
	const made = {
		api: () =>
			createApi({
				extension,
				runtime,
				cwd: "/",
				exports: {},
				libraries: noSchemaLibraries,
				getSetting: unused,
				onError: unused,
			}),
		context: () => {
			const context = createCommandContext({
				extension,
				runtime,
				bound: unused,
				mode: unused,
				replaced: unused,
				pendingPrompt: unused,
				isTrusted: unused,
				onDialog: unused,
				onError: unused,
			});
			const run = { replaced: undefined, toolCallId: "", signal: new AbortController().signal };
			const tool = createToolContext(context, { ...run, onAside: unused });
			return Object.defineProperties(context, Object.getOwnPropertyDescriptors(tool));
		},
		ui: () => headlessUI(() => {}),
	};
	const members = Object.entries(Object.getOwnPropertyDescriptors(made[kind]()));
	return new Map(members.map(([name, { enumerable }]) => [name, enumerable ? "real" : "harmless"]));
}

async function exportSections(
	name: PackageName,
	versions: Published["exports"][PackageName],
	shown: Record<string, string>,
): Promise<Section[]> {
	const states = await statesOf(name);
	const pick = (kind: "values" | "types"): Map<string, string[]> =>
		byName(Object.fromEntries(Object.entries(versions).map(([version, names]) => [version, names[kind]])));
	const values = pick("values");
	const rows = [...values].map(([each, published]): Row => {
		const { state, note } = states[each] ?? { state: "refused", note: "" };
		return {
			name: each,
			published,
			state,
			note: note || (state === "real" ? "–" : ""),
			shown: state === "refused" ? generalTest : (shown[each] ?? generalTest),
		};
	});
	const types = [...pick("types")]
		.filter(([each]) => !values.has(each))
		.map(([each, published]): Row => ({
			name: each,
			published,
			state: "type",
			note: "–",
			shown: generalTest,
		}));
	return [
		{ title: `\`${name}\``, key: name, rows },
		{ title: `Types of \`${name}\``, key: `${name} types`, rows: types },
	];
}

function byName(versions: Record<string, string[]>): Map<string, string[]> {
	const found = new Map<string, string[]>();
	for (const [version, names] of Object.entries(versions)) {
		for (const name of names) found.set(name, [...(found.get(name) ?? []), version]);
	}
	return new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
