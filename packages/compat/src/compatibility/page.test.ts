/** The compatibility page is true: nothing in it is blank, claimed but missing, or out of date. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { provideApplication } from "@tau/coding-agent/testing";
import { eventNames } from "@tau/extensions/api";

import { getKeybindings } from "@tau/tui";

import { getEditorTheme } from "../components/theming.ts";
import { ownExportsOf } from "../install.ts";
import { screenTheme } from "../support/screen-theme.ts";
import { membersOf } from "./class-members.ts";
import { ownMembers, sections, type Row } from "./facts.ts";
import { coveragePage, isBlank, namesTable } from "./page.ts";

const root = join(import.meta.dir, "../../../..");

provideApplication();

describe("`bun scripts/coverage-docs.ts` has been run since the last change", () => {
	test("docs/compatibility.md has the current counts and reasons, and is short enough to read", async () => {
		const page = await coveragePage();
		expect(await Bun.file(join(root, "docs/compatibility.md")).text()).toBe(page);
		expect(Buffer.byteLength(page)).toBeLessThan(20_000);
	});

	test("names.tsv has a line for each name, so one grep finds it", async () => {
		const table = await namesTable();
		expect(await Bun.file(join(import.meta.dir, "names.tsv")).text()).toBe(table);
		const line = table.split("\n").find((each) => /\btruncateToWidth\b/.test(each));
		expect(line?.split("\t").slice(0, 3)).toEqual(["pi-tui", "truncateToWidth", "real"]);
	});
});

test("no cell is blank: absent.json, absent-members.json or exports/*.json explain what Tau does not support", async () => {
	const blank = (await sections()).flatMap(({ title, rows }) =>
		rows.filter(isBlank).map(({ name }) => `${title} ${name}`),
	);
	expect(blank).toEqual([]);
});

test("each name occurs in the test or example that the page names for it", async () => {
	const texts = new Map<string, string>();
	const wrong: string[] = [];
	for (const { rows } of await sections()) {
		for (const { name, state, shown } of rows) {
			if (!existsSync(join(root, shown))) wrong.push(`${name}: there is no ${shown}`);
			// A claim about many names at once is covered by a test that iterates over all of them.
			if (state === "type" || /\/(?:exports|page)\.test\.ts$/.test(shown)) continue;
			const text = texts.get(shown) ?? (await Bun.file(join(root, shown)).text());
			texts.set(shown, text);
			if (!text.includes(name)) wrong.push(`${name}: not in ${shown}`);
		}
	}
	expect(wrong).toEqual([]);
});

describe("every event that extensions can listen to", () => {
	const sources = [
		...new Bun.Glob("packages/{agent,session,tools,integrations,resources,extensions}/src/**/*.ts").scanSync({
			cwd: root,
		}),
	].filter((path) => !/\.test\.ts$|api\/event-(?:names|types)\.ts$/.test(path));
	const code = Promise.all(sources.map((path) => Bun.file(join(root, path)).text()));

	test.each(eventNames.map((name) => [name]))("%s is emitted somewhere", async (name) => {
		expect((await code).some((text) => text.includes(`"${name}"`))).toBe(true);
	});
});

test.each(["api", "context", "ui"] as const)(
	"the page matches the members of %s that extensions see",
	(kind) => {
		const found = ownMembers(kind);
		const some = {
			api: ["on", "registerTool", "exec"],
			context: ["cwd", "ui", "reload"],
			ui: ["select", "custom"],
		};
		for (const name of some[kind]) expect(found.get(name)).toBe("real");
	},
);

describe("members of classes", () => {
	test("are compared by name, with what a class inherits and its static members", () => {
		class Parent {
			inherited(): void {}
		}
		class Child extends Parent {
			static create(): void {}
			get state(): string {
				return "";
			}
		}
		expect([...membersOf(Child)]).toEqual(expect.arrayContaining(["inherited", "create", "state"]));
		expect(membersOf(Child).has("toString")).toBe(false);
	});

	test("include those of classes that the application supplies", async () => {
		const names = (await sections()).flatMap(({ rows }) => rows.map(({ name }) => name));
		expect(names).toEqual(expect.arrayContaining(["CustomEditor.onAction", "RpcClient.prompt"]));
	});

	test("that only instances have exist on one", async () => {
		const { instance } = (await Bun.file(join(import.meta.dir, "absent-members.json")).json()) as {
			instance: string[];
		};
		const own = { ...(await ownExportsOf("pi-agent-core")), ...(await ownExportsOf("pi-coding-agent")) };
		const theme = screenTheme();
		const host = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
		const arguments_: Record<string, unknown[]> = {
			Agent: [],
			CustomEditor: [host, getEditorTheme(), getKeybindings()],
		};
		const made = (name: string): object =>
			name === "Theme"
				? theme
				: Reflect.construct(own[name] as NewableFunction & (() => void), arguments_[name] ?? []);
		const missing = instance.filter((each) => {
			const [name = "", member = ""] = each.split(".");
			return !(member in made(name));
		});
		expect(missing).toEqual([]);
		expect(theme).toBeInstanceOf(own.Theme as NewableFunction & (() => void));
	});

	test("that Tau supports by now are not listed as absent: remove them from absent-members.json if this fails", async () => {
		const { absent } = (await Bun.file(join(import.meta.dir, "absent-members.json")).json()) as {
			absent: Record<string, string>;
		};
		const used = new Set((await sections()).flatMap(({ rows }) => rows.flatMap(absentKeys)));
		expect(Object.keys(absent).filter((key) => !used.has(key))).toEqual([]);
	});
});

/** The keys of absent-members.json that may hold the reason of the row. */
function absentKeys({ name, state }: Row): string[] {
	const [owner = "", member = ""] = name.split(".");
	return state === "absent" ? [name, `*.${member}`, `${owner}.*`] : [];
}

test("exports that Tau supports by now are not listed as absent: remove them from absent.json if this fails", async () => {
	const absent = (await Bun.file(join(import.meta.dir, "absent.json")).json()) as Record<string, object>;
	const wrong = (["events", "api", "context", "ui"] as const).flatMap((kind) =>
		Object.keys(absent[kind] ?? {}).filter((name) => ownMembers(kind).get(name) === "real"),
	);
	expect(wrong).toEqual([]);
});
