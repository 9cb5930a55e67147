/** Extensions in pi's and omp's directories load although they import unknown names, and find their files there. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function writeFixture(tau: Launched, path: string, text: string): string {
	const file = join(tau.home, "..", path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

const tells = (label: string, module: string): string =>
	`import { CONFIG_DIR_NAME, getAgentDir } from "${module}";
	export default (pi) => {
		pi.on("session_start", (_event, ctx) => ctx.ui.notify(["${label}", CONFIG_DIR_NAME, getAgentDir(), pi.pi.getAgentDir()].join(" ")));
	};`;

test("an extension gets the directories of the program that it was found in", async () => {
	await using tau = await launch({ steps: ["Ok."] });
	const { home } = tau;
	writeFixture(tau, "home/.tau/agent/extensions/own.ts", tells("own", "@mariozechner/pi-coding-agent"));
	writeFixture(tau, "home/.pi/agent/extensions/presets.ts", tells("pi", "@mariozechner/pi-coding-agent"));
	writeFixture(tau, "home/.omp/agent/extensions/agents/index.ts", 'export { default } from "./src/main.js";');
	writeFixture(tau, "home/.omp/agent/extensions/agents/package.json", '{ "type": "module" }');
	writeFixture(tau, "home/.omp/agent/extensions/agents/src/main.js", tells("omp", "@oh-my-pi/pi-utils"));
	const linked = writeFixture(tau, "dotfiles/linked.ts", tells("linked", "@earendil-works/pi-coding-agent"));
	symlinkSync(linked, join(home, ".pi/agent/extensions/linked.ts"));
	const { out, err } = await tau.run(["-p", ...model, "hi"]);
	expect(out).toBe("Ok.\n");
	const line = (label: string, program: string): string =>
		`tau: ${label} .${program} ${home}/.${program}/agent ${home}/.${program}/agent`;
	expect(err.trimEnd().split("\n").toSorted()).toEqual(
		[line("linked", "pi"), line("omp", "omp"), line("own", "tau"), line("pi", "pi")].toSorted(),
	);
});

test("an extension of pi that passes its directory to a session gets Tau's keys and models", async () => {
	await using tau = await launch({ steps: ["Inner.", "Ok."] });
	writeFixture(
		tau,
		"home/.pi/agent/extensions/inner.ts",
		`import { join } from "node:path";
		import { AuthStorage, createAgentSession, DefaultResourceLoader, getAgentDir, SessionManager } from "@earendil-works/pi-coding-agent";
		export default (pi) => pi.on("before_agent_start", async (_event, ctx) => {
			const authStorage = AuthStorage.create(join(getAgentDir(), "auth.json"));
			const resourceLoader = new DefaultResourceLoader({ cwd: ctx.cwd, agentDir: getAgentDir(), noExtensions: true });
			await resourceLoader.reload();
			const { session } = await createAgentSession({
				cwd: ctx.cwd, model: ctx.model, agentDir: getAgentDir(), authStorage, resourceLoader, noTools: "all", sessionManager: SessionManager.inMemory(ctx.cwd),
			});
			await session.prompt("inner question");
			ctx.ui.notify("inner: " + session.getLastAssistantText());
			session.dispose();
		});`,
	);
	const { out, err } = await tau.run(["-p", ...model, "hi"]);
	expect({ out, err }).toEqual({ out: "Ok.\n", err: "tau: inner: Inner.\n" });
});

test("unknown names that an extension imports are undefined, with one warning", async () => {
	await using tau = await launch({ steps: ["Ok."] });
	writeFixture(
		tau,
		"home/.pi/agent/extensions/future/index.ts",
		`import { fromTheFuture } from "@earendil-works/pi-tui";
		import { laterType } from "./types.ts";
		export default (pi) => pi.on("session_start", (_event, ctx) => ctx.ui.notify(typeof fromTheFuture + " " + laterType));`,
	);
	writeFixture(
		tau,
		"home/.pi/agent/extensions/future/types.ts",
		`export { SomeFutureType } from "@earendil-works/pi-coding-agent";
		export const laterType = "loaded";`,
	);
	const { out, err } = await tau.run(["-p", ...model, "hi"]);
	expect(out).toBe("Ok.\n");
	expect(err).toContain("tau: undefined loaded\n");
	expect(err).toContain(
		"Extension future imports names that Tau does not have; they are undefined: fromTheFuture (@earendil-works/pi-tui), SomeFutureType (@earendil-works/pi-coding-agent).",
	);
	expect(err.match(/they are undefined/g)).toHaveLength(1);
});
