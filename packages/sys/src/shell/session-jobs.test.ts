/** Commands that leave jobs, and commands that break the shell they run in: the session continues. */
import { describe, expect, test } from "bun:test";

import { alive, shellFixture } from "./testing/shell-fixture.ts";

describe("with a job of an earlier command", () => {
	const waits: [what: string, command: string, text: string][] = [
		["`wait` without a job", "wait; echo $?", "0\n"],
		["`wait` for two jobs", "(exit 3) & sleep 0.05 & wait; echo $?; jobs -p | wc -l", "0\n1\n"],
		["`wait` with strict options", "set -euo pipefail; sleep 0.05 & wait; echo on", "on\n"],
		["`wait` in a function", "f() { sleep 0.05 & wait; echo in; }; f", "in\n"],
		["`wait` in a subshell", "(sleep 0.05 & wait; echo $?)", "0\n"],
		["`wait -n` for a job", "(sleep 0.05; exit 3) & wait -n; echo $?", "3\n"],
		["`wait -n` without a job", "wait -n; echo $?", "127\n"],
		["`wait` for a process", "(exit 4) & wait $!; echo $?", "4\n"],
		[
			"`wait` with a trapped signal",
			"trap : USR1; (while sleep 0.02; do kill -USR1 $$; done) & wait; echo $?; kill $!",
			"138\n",
		],
	];
	test.each(waits)("%s does not wait for that job", async (_what, command, text) => {
		await using fixture = shellFixture();
		const pid = Number((await fixture.run("sleep 100 & echo $!")).text);
		const { text: printed, outcome } = await fixture.run(command);
		expect({ printed: printed.replaceAll(" ", ""), ...outcome }).toMatchObject({
			printed: text,
			exitCode: 0,
		});
		expect(alive([pid])).toEqual([pid]);
	});

	test("`jobs`, `kill %1` and `wait PID` still know it", async () => {
		await using fixture = shellFixture();
		const pid = Number((await fixture.run("sleep 100 & echo $!")).text);
		expect((await fixture.run("jobs")).text).toContain("sleep 100");
		expect((await fixture.run(`kill %1; wait ${pid}; echo $?`)).text).toBe("143\n");
		expect((await fixture.run("jobs; wait; echo on")).text).toBe("on\n");
	});

	test("a function `wait` of the user is not replaced", async () => {
		await using fixture = shellFixture();
		await fixture.run("wait() { echo mine; }; sleep 100 &");
		expect((await fixture.run("wait")).text).toBe("mine\n");
	});

	test("an abort of `wait` ends the command", async () => {
		await using fixture = shellFixture();
		const pid = Number((await fixture.run("sleep 100 & echo $!")).text);
		const { outcome } = await fixture.abortWhenReady("sleep 99 & echo ready; wait; touch after");
		expect(outcome.stopped).toBe("abort");
		expect((await fixture.run("ls after 2>/dev/null; echo on")).text).toBe("on\n");
		expect(alive([pid])).toEqual([pid]);
	});
});

describe("after a command that breaks its shell", () => {
	const breaking: [command: string, text: string][] = [
		["set -n; echo never", ""],
		["set -o noexec; echo never", ""],
		["enable -n printf read eval; echo shown", "shown\n"],
		["enable -n printf enable; echo shown", "shown\n"],
		["enable -n builtin enable; echo shown", "shown\n"],
		["trap 'echo step' DEBUG; echo shown", "step\nshown\n"],
		[
			"trap 'echo step' DEBUG; set -T; f() { echo in; }; f; trap - DEBUG",
			"step\nstep\nstep\nstep\nin\nstep\n",
		],
		["shopt -s extdebug; trap false DEBUG; echo never", ""],
		["set -E; trap 'echo failed' ERR; f() { false; }; f || true; false; echo shown", "failed\nshown\n"],
		["break 99; echo never", ""],
		["builtin() { :; }; echo shown", "shown\n"],
		["command() { echo mine; }; echo shown", "shown\n"],
		["unset __tau_due __tau_status __tau_end; echo shown", "shown\n"],
	];
	test.each(breaking)("%s", async (command, text) => {
		await using fixture = shellFixture();
		await fixture.run("before=kept; cd /");
		expect(await fixture.run(command)).toMatchObject({ text, outcome: { exitCode: 0 } });
		expect(await fixture.run('printf "%s" "$before $PWD"')).toMatchObject({
			text: "kept /",
			outcome: { exitCode: 0 },
		});
	});

	test.each(["__tau_keep", "__tau_text", "__tau_due", "__tau_jobs", "__tau_old"])(
		"`readonly %s` ends this shell, and the next one works",
		async (name) => {
			await using fixture = shellFixture();
			await fixture.run("before=kept; cd /");
			expect((await fixture.run(`readonly ${name}; echo shown`)).text).toBe("shown\n");
			expect((await fixture.run('printf "%s" "$before $PWD"')).text).toBe("kept /");
			expect((await fixture.run("after=set")).outcome.exitCode).toBe(0);
			expect((await fixture.run('printf "%s" "$after"')).text).toBe("set");
		},
	);

	test("an ERR trap runs once for a failure, and only in the command that sets it", async () => {
		await using fixture = shellFixture();
		expect(await fixture.run("trap 'echo failed' ERR; (exit 4)")).toMatchObject({
			text: "failed\n",
			outcome: { exitCode: 4 },
		});
		expect(await fixture.run("(exit 4)")).toMatchObject({ text: "", outcome: { exitCode: 4 } });
	});

	test("a DEBUG trap of a command that exits does not reach the kept state", async () => {
		await using fixture = shellFixture();
		await fixture.run("trap 'echo step' DEBUG; after=set; exit 3");
		expect((await fixture.run("echo $after")).text).toBe("set\n");
	});
});
