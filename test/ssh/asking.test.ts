/** What ssh asks is asked of the user: a passphrase, an unknown host key. Neither the model nor any file sees a secret. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "bun:test";

import { startRpc, type Frame } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd, type TestSshd } from "../support/sshd.ts";

const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh", "ssh-keygen");
const passphrase = "correct horse battery staple";
const waitMs = 60_000;
let sshd: TestSshd;

beforeAll(async () => {
	if (existsSync(program)) sshd = await testSshd({ passphrase, unknownHost: true });
});
afterAll(async () => sshd?.[Symbol.asyncDispose]());

function useConfig(tau: Launched): void {
	writeFileSync(join(tau.agentDir, "config.yml"), `ssh:\n  config: ${sshd.config}\n`);
}

/** Every file below a directory that contains the text. */
function filesWith(text: string, directory: string): string[] {
	const paths = readdirSync(directory, { recursive: true, withFileTypes: true });
	return paths
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => readFileSync(path, "latin1").includes(text));
}

const isDialog =
	(method: string) =>
	(frame: Frame): boolean =>
		frame.type === "extension_ui_request" && frame.method === method;

overSsh(
	"the call is approved with host and command, the host key by its fingerprint, and the passphrase goes to ssh alone",
	async () => {
		const step = (command: string) => ({
			answer: { blocks: [{ toolCall: { name: "ssh", arguments: { host: "box", command } } }] },
		});
		await using tau = await launch({ steps: [step("echo first"), step("echo second $((40 + 2))"), "Done."] });
		useConfig(tau);
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "set_request_kinds", kinds: ["approval", "dialog"] });
		await rpc.ask({ type: "prompt", message: "go" });
		const isApproval = (frame: Frame): boolean =>
			frame.type === "request_opened" && frame.request !== undefined;
		const approve = async (after: number): Promise<Frame> => {
			const opened = await rpc.until(
				(frame) => isApproval(frame) && (frame.request as { kind: string }).kind === "approval",
				after,
			);
			const { id } = opened.request as { id: string };
			expect(
				await rpc.ask({ type: "answer_request", requestId: id, answer: { choice: "once" } }),
			).toMatchObject({
				success: true,
			});
			return opened;
		};
		const first = await approve(0);
		expect(first.request).toMatchObject({
			reason: "it runs on box",
			touches: [{ kind: "exec", command: "ssh box 'echo first'" }],
		});
		const confirm = await rpc.until(isDialog("confirm"));
		const fingerprint = Bun.spawnSync(["ssh-keygen", "-lf", join(sshd.directory, "host_key.pub")]);
		expect(confirm.message).toContain(fingerprint.stdout.toString().split(" ")[1] ?? "-");
		rpc.write({ type: "extension_ui_response", id: confirm.id, confirmed: false });
		await rpc.until((frame) => frame.type === "tool_execution_end");
		expect(readFileSync(sshd.knownHosts, "utf8")).toBe("");

		const after = rpc.frames.length;
		await approve(after);
		const again = await rpc.until(isDialog("confirm"), after);
		rpc.write({ type: "extension_ui_response", id: again.id, confirmed: true });
		const input = await rpc.until(isDialog("input"), after);
		expect(input.title).toContain("user_key");
		rpc.write({ type: "extension_ui_response", id: input.id, value: passphrase });
		await rpc.until(({ type }) => type === "agent_end", after);
		const requests = JSON.stringify(tau.played.requests);
		expect(requests).toContain("Host key verification failed");
		expect(requests).toContain("second 42");
		expect(readFileSync(sshd.knownHosts, "utf8")).toContain("127.0.0.1");
		expect([requests.includes(passphrase), JSON.stringify(rpc.frames).includes(passphrase)]).toEqual([
			false,
			false,
		]);
		expect(filesWith(passphrase, tau.home)).toEqual([]);
		expect(filesWith("echo second", tau.home).length).toBeGreaterThan(0);
	},
	waitMs,
);

overSsh("where nobody can be asked, ssh fails and says why", async () => {
	await using tau = await launch({ steps: ["never"] });
	useConfig(tau);
	const { code, err } = await tau.run(["-p", "go", "--model", "played/played-1", "--machine", "ssh:box"]);
	expect([code, tau.played.requests.length]).toEqual([2, 0]);
	expect(err).toMatch(/Cannot connect to box: .*(Permission denied|Host key verification failed)/s);
});
