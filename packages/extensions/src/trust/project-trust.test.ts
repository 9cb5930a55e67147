/** Extensions of the user may refuse a project before any of it is loaded; they cannot trust it. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Extensions } from "../host/extensions.ts";
import { discoverExtensions, type DiscoverRequest } from "../load/discover.ts";
import { refusal } from "./project-trust.ts";
import { decideForRun, isTrusted, setTrusted } from "./trust.ts";

const base = mkdtempSync(join(tmpdir(), "tau-project-trust-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;

/** The answers about the project by the user's extensions, by name, and by one of the project. */
async function ask(
	own: Readonly<Record<string, string>>,
): Promise<{ no: Awaited<ReturnType<typeof refusal>>; notices: string[]; loads: number }> {
	const directory = join(base, String(++count));
	const [home, cwd] = [join(directory, "home"), join(directory, "work")];
	const agentDir = join(home, ".tau/agent");
	for (const folder of [join(agentDir, "extensions"), join(cwd, ".tau/extensions")])
		mkdirSync(folder, { recursive: true });
	for (const [name, text] of Object.entries(own)) writeFileSync(join(agentDir, "extensions", name), text);
	const theirs = `globalThis.projectRan = true; export default (pi) => pi.on("project_trust", () => ({ trusted: "no" }));`;
	writeFileSync(join(cwd, ".tau/extensions/theirs.ts"), theirs);
	const request: DiscoverRequest = {
		cwd,
		home,
		agentDir,
		explicit: [],
		configured: [],
		disabled: [],
		withDiscovery: true,
		isTrusted: true,
	};
	const notices: string[] = [];
	let loads = 0;
	const no = await refusal({
		request: {
			...request,
			cacheDir: join(directory, "cache"),
			onNotice: (message) => void notices.push(message),
		},
		discovery: await discoverExtensions(request),
		mode: "print",
		load(loadRequest) {
			loads++;
			return Extensions.load(loadRequest);
		},
	});
	return { no, notices, loads };
}

const says = (answer: string): string =>
	`export default (pi) => pi.on("project_trust", ({ cwd }, ctx) => { if (cwd !== ctx.cwd || ctx.hasUI) throw new Error("odd"); return ${answer}; });`;

test("project_trust: the first no decides, and whether it is stored", async () => {
	const asked = await ask({
		"a.ts": says(`{ trusted: "undecided" }`),
		"b.ts": says(`{ trusted: "no", remember: true }`),
	});
	expect(asked).toEqual({ no: { remember: true }, notices: [], loads: 1 });
});

test("project_trust: a yes, an exception and an invalid answer leave it to the user", async () => {
	const { no, notices } = await ask({
		"a.ts": says(`{ trusted: "yes" }`),
		"b.ts": `export default (pi) => pi.on("project_trust", () => { throw new Error("broken"); });`,
		"c.ts": says(`"no"`),
	});
	expect(no).toBeUndefined();
	expect(notices.join()).toContain("broken");
});

test("project_trust: extensions without a handler are not loaded early, and the project's own code never is", async () => {
	expect(await ask({ "a.ts": `export default () => {};` })).toEqual({ no: undefined, notices: [], loads: 0 });
	expect("projectRan" in globalThis).toBe(false);
});

test("a refusal for the run overrides the stored answer, until the user decides otherwise", () => {
	const [cwd, agentDir] = [join(base, "work"), join(base, "agent")];
	mkdirSync(cwd);
	setTrusted(cwd, agentDir, true);
	decideForRun(cwd, false);
	expect(isTrusted(cwd, agentDir)).toBe(false);
	setTrusted(cwd, agentDir, true);
	expect(isTrusted(cwd, agentDir)).toBe(true);
});
