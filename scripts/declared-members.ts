/**
 * Reads the public members of exported classes from the type declarations of a package that pi or omp publishes, and
 * puts them into packages/compat/src/compatibility/classes.json:
 * `bun scripts/declared-members.ts pi-tui "pi 0.87.1" /tmp/unpacked/package`. Only `*.d.ts` files are opened.
 */
import { join } from "node:path";

export interface DeclaredClass {
	/** Methods and accessors. Fields are left out: most are optional, and an instance has them only when they are set. */
	methods: string[];
	statics: string[];
}

type Classes = Record<string, DeclaredClass>;

/** Package, class, version: what it declares. */
export type PublishedClasses = Record<string, Record<string, Record<string, DeclaredClass>>>;

const classHead = /^export (?:default )?declare (?:abstract )?class (\w+).*\{$/gm;
/** What was a class in one release may be an interface in the next, as pi's `TUI`; an instance has the same members. */
const interfaceHead = /^export interface (\w+).*\{$/gm;
const member =
	/^(?: {4}|\t)((?:(?:static|readonly|abstract|override|accessor|get|set|async) )*)([A-Za-z_$][\w$]*)\??(\s*[(<]|[:;])/;

/** The compiler writes a member a line, and closes a class at the start of one. */
export function declaredClasses(text: string): Classes {
	return declaredBy(classHead, text);
}

export function declaredInterfaces(text: string): Classes {
	return declaredBy(interfaceHead, text);
}

function declaredBy(head: RegExp, text: string): Classes {
	const classes: Classes = {};
	for (const match of text.matchAll(head)) {
		const [line, name = ""] = match;
		const from = match.index + line.length;
		const body = text.slice(from, text.indexOf("\n}", from));
		classes[name] = membersOf(body);
	}
	return classes;
}

function membersOf(body: string): DeclaredClass {
	const [methods, statics] = [new Set<string>(), new Set<string>()];
	for (const line of body.replaceAll(/\/\*[\s\S]*?\*\//g, "").split("\n")) {
		const [, modifiers = "", name = "", opening = ""] = member.exec(line) ?? [];
		if (name === "" || name === "constructor" || name.startsWith("_")) continue;
		if (/\bstatic\b/.test(modifiers)) statics.add(name);
		else if (/\b[gs]et\b/.test(modifiers) || /[(<]/.test(opening)) methods.add(name);
	}
	return { methods: [...methods].toSorted(), statics: [...statics].toSorted() };
}

async function readPackage(folder: string): Promise<{ classes: Classes; interfaces: Classes }> {
	const [classes, interfaces]: [Classes, Classes] = [{}, {}];
	for (const path of new Bun.Glob("**/*.d.ts").scanSync({ cwd: folder })) {
		const text = await Bun.file(join(folder, path)).text();
		Object.assign(classes, declaredClasses(text));
		Object.assign(interfaces, declaredInterfaces(text));
	}
	return { classes, interfaces };
}

if (import.meta.main) {
	const [name = "", version = "", folder = ""] = process.argv.slice(2);
	const place = join(import.meta.dir, "../packages/compat/src/compatibility");
	const file = Bun.file(join(place, "classes.json"));
	const all: PublishedClasses = (await file.exists()) ? await file.json() : {};
	const published = await Bun.file(join(place, "published.json")).json();
	const { values = [], types = [] } = published.exports[name]?.[version] ?? {};
	const { classes, interfaces } = await readPackage(folder);
	const rows = (all[name] ??= {});
	for (const [each, declared] of Object.entries(classes))
		if (values.includes(each)) (rows[each] ??= {})[version] = declared;
	for (const [each, declared] of Object.entries(interfaces))
		if (types.includes(each) && each in rows) (rows[each] ??= {})[version] = declared;
	await Bun.write(file, `${JSON.stringify(all, null, "\t")}\n`);
}
