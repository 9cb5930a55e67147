/** A server is reached through lspmux if the user runs that, and only where nothing contains servers. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { localMachine, type Machine } from "@tau/sys";

import { ask } from "../../../../../test/support/lsp/project.ts";
import { testToolEnv, type TestToolEnv } from "../../../../../test/support/tool-env.ts";

const server = join(import.meta.dir, "../../../../../test/support/lsp/scripted-server.ts");

/** A `rust-analyzer`, and an `lspmux` that writes down how it is called. */
async function project(
	status: number,
	{ machine, variables }: { machine?: Machine; variables?: Record<string, string> } = {},
): Promise<TestToolEnv> {
	const base = await testToolEnv(machine ? { machine } : {});
	const bin = join(base.cwd, "bin");
	mkdirSync(bin);
	const programs = {
		"rust-analyzer": `exec ${process.execPath} ${server} pull`,
		lspmux: `[ "$1" = status ] && exit ${status}\necho "$@" >> ${base.cwd}/calls\nexec "$3"`,
	};
	for (const [name, text] of Object.entries(programs)) {
		writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
		chmodSync(join(bin, name), 0o755);
	}
	writeFileSync(join(base.cwd, "a.rs"), "fn main() {}\n");
	return { ...base, env: { ...base.env, PATH: `${bin}:/usr/bin:/bin`, ...variables } };
}

async function callsOf(env: TestToolEnv): Promise<string> {
	expect(await ask(env, { action: "hover", path: "a.rs", line: 1 })).toBe("It knows nothing more.");
	const calls = join(env.cwd, "calls");
	return existsSync(calls) ? readFileSync(calls, "utf8") : "";
}

test("a running lspmux starts the server", async () => {
	await using env = await project(0);
	expect(await callsOf(env)).toBe(`client --server-path ${env.cwd}/bin/rust-analyzer\n`);
});

test("without a running one, where it is switched off, and in a sandbox, it is not used", async () => {
	await using stopped = await project(1);
	expect(await callsOf(stopped)).toBe("");
	await using off = await project(0, { variables: { TAU_DISABLE_LSPMUX: "1" } });
	expect(await callsOf(off)).toBe("");
	const { shell, ...rest } = localMachine();
	const machine: Machine = { ...rest, shell: { ...shell, boundary: async () => "a sandbox" } };
	await using contained = await project(0, { machine });
	expect(await callsOf(contained)).toBe("");
});
