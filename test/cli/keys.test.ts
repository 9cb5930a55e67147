/** Commands of a model cannot read the keys of Tau, and exports do not contain them. */
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { modelsYml } from "@tau/ai/testing";

import { launch, root, type Launched } from "../support/launch.ts";
import { become, copyCompiled, removeCopies, user } from "../support/as-user.ts";
import { needs } from "../support/needs.ts";

afterAll(removeCopies);

const model = ["--model", "played/played-1"];
const key = "played-key-0123456789";
const other = "other-key-0123456789";
const env = { PLAYED_API_KEY: key, ANTHROPIC_OAUTH_TOKEN: other };

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

/** What the system shows of this process and its ancestors. */
const look = `
	pid=$$
	while [ "$pid" -gt 1 ] && [ "$(tr '\\0' ' ' <"/proc/$pid/cmdline" | grep -c 'bun test')" = 0 ]; do
		echo "process $pid: $(tr '\\0' '\\n' <"/proc/$pid/environ" 2>&1)"
		tr '\\0' ' ' <"/proc/$pid/cmdline"
		pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
	done
	env; ulimit -c`;

async function withKey(steps: Parameters<typeof launch>[0]["steps"]): Promise<Launched> {
	const tau = await launch({ steps });
	const yml = modelsYml(tau.played, { api: "openai-completions", apiKey: "PLAYED_API_KEY" });
	writeFileSync(join(tau.agentDir, "models.yml"), yml);
	return tau;
}

describe("a command of the model", () => {
	test("finds no key in the environment of Tau, which still uses it", async () => {
		await using tau = await withKey([bash(look), "Done."]);
		const { code, out, err } = await tau.run(["-p", "go", ...model], { env });
		expect({ code, out, err }).toEqual({ code: 0, out: "Done.\n", err: "" });
		const [first, second] = tau.played.requests;
		expect(second?.headers.authorization ?? first?.headers.authorization).toBe(`Bearer ${key}`);
		const body = second?.rawBody ?? "";
		// Only root may look at Tau's own: it sees that the value is gone.
		expect(body).toMatch(process.getuid?.() === 0 ? /PLAYED_API_KEY=\\n/ : /process \d+: \\n/);
		expect(body).not.toContain(key);
		expect(body).not.toContain(other);
	});

	needs("setpriv")(
		"of an ordinary user can neither read the memory of Tau nor make it dump core",
		async () => {
			const command = `cat /proc/$PPID/environ; cat /proc/$PPID/mem; echo "core $(ulimit -c) of $(ulimit -Hc)"`;
			await using tau = await withKey([bash(command), "Done."]);
			const isRoot = process.getuid?.() === 0;
			if (isRoot) Bun.spawnSync(["chown", "-R", String(user), dirname(tau.home)]);
			const limited = ["sh", "-c", 'ulimit -c "$(ulimit -Hc)"; exec "$@"', "sh"];
			// The clone may be in a home that the user cannot enter.
			const program = isRoot ? copyCompiled() : join(root, "tau");
			const run = Bun.spawn([...become, ...limited, program, "-p", "go", ...model], {
				cwd: tau.project,
				env: { ...tau.env, ...env },
				stdin: "ignore",
				stdout: "pipe",
				stderr: "pipe",
			});
			expect([await run.stdout.text(), await run.stderr.text()]).toEqual(["Done.\n", ""]);
			const body = tau.played.requests[1]?.rawBody ?? "";
			expect(body).toMatch(/environ: Permission denied.*mem: Permission denied.*core 0 of/s);
			expect(body).not.toContain(key);
		},
	);
});

test("an export masks the keys of the environment and of the store, and tokens that a command printed", async () => {
	const stored = "stored-key-<0123456789>";
	const token = `ghp_${"Ab3dEf6h".repeat(4)}`;
	const printed = `printf '%s\\n' '${key}' '${stored}' ${token} 'password = get_password()'`;
	await using tau = await withKey([bash(printed), "Done."]);
	await tau.run(["login", "groq", "--api-key"], { stdin: `${stored}\n` });
	expect((await tau.run(["-p", "go", ...model], { env })).out).toBe("Done.\n");
	const [row = ""] = (await tau.run(["sessions", "--mode", "json"])).out.split("\n");
	for (const format of ["html", "md", "json"]) {
		const file = `talk.${format}`;
		expect((await tau.run([`--export=${JSON.parse(row).id}`, file], { env })).err).toBe("");
		const text = readFileSync(join(tau.project, file), "utf8");
		expect(text.split("…[masked]").length).toBeGreaterThan(4);
		expect(text).toContain("password = get_password()");
		expect(text).not.toContain(key);
		expect(text).not.toContain("0123456789");
		expect(text).not.toContain("Ab3dEf6h");
		if (format === "json") JSON.parse(text);
	}
});
