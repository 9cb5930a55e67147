/** What a fleet loses besides workers: its daemon, and the room on a disk. */
import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs, ownMounts } from "../support/needs.ts";
import { untilEnded } from "../support/processes.ts";
import { launchFleet } from "./fleet.ts";

const wait = {
	answer: {
		blocks: [
			{ toolCall: { name: "bash", arguments: { command: "until test -e go; do sleep 0.05; done; rm go" } } },
		],
	},
};

needs("git")(
	"a task continues when the daemon is killed, and its worker ends by itself",
	async () => {
		await using fleet = await launchFleet({ steps: [wait, "Done without a daemon."] });
		const [id = ""] = await fleet.add("wait for me");
		const { worker = "" } = await fleet.untilTask(id, ({ progress }) => progress.sessionId !== undefined);
		await fleet.until(() => fleet.played.requests.length === 1);
		const { pid } = JSON.parse((await fleet.run(["daemon", "status", "--json"])).out);
		process.kill(pid, "SIGKILL");
		await untilEnded(pid);
		const { cwd } = JSON.parse((await fleet.run(["ps", "--json"])).out.trim().split("\n")[0] ?? "{}");
		writeFileSync(join(cwd, "go"), "");
		expect(await fleet.untilTask(id, ({ state }) => state === "done")).toMatchObject({
			lease: 1,
			result: { summary: "Done without a daemon." },
		});
		const workerPid = Number(/-(\d+)-\w+$/.exec(worker)?.[1]);
		process.kill(workerPid, "SIGTERM");
		await untilEnded(workerPid);
		expect(fleet.leftovers()).toEqual([]);
	},
	180_000,
);

needs("git", "mounts of its own")(
	"a task that finds no room on one machine is done on another, and says what was wrong",
	async () => {
		await using fleet = await launchFleet({ steps: [], fallback: { answer: "There was room." } });
		writeFileSync(join(fleet.project, "large.bin"), randomBytes(1024 * 1024));
		fleet.git("add", ".");
		fleet.git("commit", "--quiet", "-m", "Large");
		const small = join(fleet.home, "small");
		mkdirSync(small);
		const [id = ""] = await fleet.add("look at it", "--label", "mine");
		const program = join(import.meta.dir, "../../tau");
		const mount = 'mount -t tmpfs -o size=256k tmpfs "$1" && exec "$2" worker --once --labels mine';
		const full = Bun.spawn([...ownMounts(), "sh", "-c", mount, "sh", small, program], {
			env: { ...fleet.env, TAU_FLEET_DIR: small },
			cwd: fleet.project,
			stdio: ["ignore", "ignore", "inherit"],
		});
		expect(await full.exited).toBe(0);
		const failed = await fleet.show(id);
		expect(failed).toMatchObject({ state: "queued", lease: 1 });
		expect(failed.problem).toContain("No space left on device");
		const other = fleet.worker("--labels", "mine");
		expect(await fleet.untilTask(id, ({ state }) => state === "done")).toMatchObject({
			lease: 2,
			result: { summary: "There was room." },
		});
		other.process.kill("SIGTERM");
		await other.finished;
		expect(fleet.leftovers()).toEqual([]);
	},
	180_000,
);
