import { test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
const base = { stdio: ["ignore", "ignore", "ignore", "pipe"] as any, detached: true };
for (const [name, opts] of Object.entries({ plain: base, cwd: { ...base, cwd: "/tmp" }, env: { ...base, env: { PATH: process.env.PATH! } } }))
test(name, async () => {
	const shell = spawn("/bin/bash", ["-c", "echo ready >&3; read x <&3; exit 3"], opts);
	await once(shell, "spawn");
	shell.kill();
}, 1500);
test("async fn", async () => {
	const f = async () => { const shell = spawn("/bin/bash", ["-c", "echo ready >&3; read x <&3; exit 3"], base);
	await once(shell, "spawn"); return shell; };
	(await f()).kill();
}, 1500);
test("long", async () => {
	const shell = spawn("/bin/bash", ["-c", "echo ready >&3; read x <&3; exit 3;" + "true;".repeat(500)], base);
	await once(shell, "spawn");
	shell.kill();
}, 1500);
