/** The members of classes that pi and omp export, held against the classes that extensions get from Tau. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ModelAccess } from "@tau/extensions/providers";

import { currentApplication } from "../application.ts";
import { packageNames, statesOf, type PackageName } from "../exports/states.ts";
import { ownExportsOf } from "../install.ts";
import type { Row, Section } from "./facts.ts";

interface Declared {
	methods: string[];
	statics: string[];
}

/** Class, version: what it declares. */
type Classes = Record<string, Record<string, Declared>>;

interface Reasons {
	/** By `Class.member`, or `Class.*` for all of one class. */
	absent: Record<string, string>;
	/** The same for members that only omp has; `*` is for all others. */
	omp: Record<string, string>;
	/** Members that a class gives to each instance, where its prototype does not show them. */
	instance: string[];
}

const memberTest = "packages/compat/src/compatibility/page.test.ts";

function data<T>(name: string): T {
	return JSON.parse(readFileSync(join(import.meta.dir, name), "utf8")) as T;
}

export async function classSections(): Promise<Section[]> {
	// Some classes come from the application. Without it they would be left out of the comparison in silence.
	if (!currentApplication()) throw new Error("Call provideApplication() before classes are compared.");
	const published = data<Partial<Record<PackageName, Classes>>>("classes.json");
	const reasons = data<Reasons>("absent-members.json");
	const sections = packageNames.map(async (name): Promise<Section> => {
		const [own, states] = [await ownExportsOf(name), await statesOf(name)];
		// A class that is unsupported as a whole is a row of its package.
		const classes = Object.entries(published[name] ?? {}).filter(
			([each]) => typeof own[each] === "function" && states[each]?.state !== "refused",
		);
		const rows = classes.flatMap(([each, versions]) =>
			rowsOf(each, versions, own[each] as NewableFunction, reasons),
		);
		return { title: `Members of \`${name}\``, key: `${name} members`, rows: sorted(rows) };
	});
	const registry = published["pi-coding-agent"]?.ModelRegistry ?? {};
	const access = rowsOf("modelRegistry", registry, ModelAccess, reasons);
	return [
		{ title: "`ctx.modelRegistry.…`", key: "modelRegistry", rows: sorted(access) },
		...(await Promise.all(sections)),
	];
}

function rowsOf(
	name: string,
	versions: Record<string, Declared>,
	own: NewableFunction,
	reasons: Reasons,
): Row[] {
	const published = new Map<string, string[]>();
	for (const [version, { methods, statics }] of Object.entries(versions)) {
		// What makes a registry is no member of the one that an extension is given.
		const names = name === "modelRegistry" ? methods : [...methods, ...statics];
		for (const each of names) published.set(each, [...(published.get(each) ?? []), version]);
	}
	const members = membersOf(own);
	return [...published].map(([each, matches]): Row => {
		const row = { name: `${name}.${each}`, published: matches, shown: memberTest };
		return members.has(each) || reasons.instance.includes(row.name)
			? { ...row, state: "real", note: "–" }
			: { ...row, state: "absent", note: reasonFor(name, each, matches, reasons) };
	});
}

/** What an instance inherits, and what the class itself has. */
export function membersOf(own: NewableFunction): ReadonlySet<string> {
	const names = new Set<string>();
	for (const start of [own.prototype as object | null, own])
		for (let each = start; each && !roots.has(each); each = Object.getPrototypeOf(each) as object | null)
			for (const name of Object.getOwnPropertyNames(each)) names.add(name);
	return names;
}

const roots: ReadonlySet<object> = new Set([Object.prototype, Function.prototype]);

function reasonFor(name: string, member: string, versions: readonly string[], reasons: Reasons): string {
	const { absent, omp } = reasons;
	const known = absent[`${name}.${member}`] ?? absent[`*.${member}`] ?? absent[`${name}.*`];
	if (known !== undefined || versions.some((version) => version.startsWith("pi "))) return known ?? "";
	return omp[`${name}.*`] ?? omp["*"] ?? "";
}

function sorted(rows: readonly Row[]): Row[] {
	return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
