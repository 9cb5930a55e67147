/** Runs the published programs of others against Tau's gateway, with the played model in every protocol behind it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { protocols, serveGateway, type ServedGateway } from "../../test/gateway/gateway.ts";
import { installed } from "./install.ts";

const runMs = 120_000;
const prompt = "Find the number.";
/** What the tool prints is not in the request before it has run. */
const command = "echo number-$((6 * 7))";
const output = "number-42";
const answer = "The number is in the output.";

interface Run {
	/** Relative to the directory of the package. */
	words: readonly string[];
	env: Readonly<Record<string, string>>;
	/** Files of its home, by their paths. */
	files?: Readonly<Record<string, string>>;
}

interface Program {
	name: string;
	version: string;
	/** Its own tool for commands, and what it is called with. */
	tool: { name: string; arguments: Record<string, unknown> };
	run(url: string, model: string): Run;
}

export const programs: readonly Program[] = [
	{
		name: "@anthropic-ai/claude-code",
		version: "2.1.326",
		tool: { name: "Bash", arguments: { command, description: "Prints the number" } },
		run: (url, model) => ({
			words: [
				`../claude-code-${process.platform}-${process.arch}/claude`,
				"-p",
				prompt,
				"--model",
				model,
				"--allowedTools",
				"Bash",
			],
			// Those of `tau auth-gateway env claude`.
			env: {
				ANTHROPIC_BASE_URL: url,
				ANTHROPIC_AUTH_TOKEN: "token",
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			},
		}),
	},
	{
		name: "@openai/codex",
		version: "0.169.0",
		tool: { name: "exec_command", arguments: { cmd: command } },
		run: (url, model) => ({
			words: [
				"bin/codex.js",
				"exec",
				"--skip-git-repo-check",
				"--sandbox",
				"danger-full-access",
				"-m",
				model,
				// Those of `tau auth-gateway env codex`.
				"-c",
				"model_provider=tau",
				"-c",
				"model_providers.tau.name=Tau",
				"-c",
				`model_providers.tau.base_url=${url}/v1`,
				"-c",
				"model_providers.tau.env_key=TAU_GATEWAY_TOKEN",
				"-c",
				"model_providers.tau.wire_api=responses",
				prompt,
			],
			env: { TAU_GATEWAY_TOKEN: "token" },
		}),
	},
	{
		name: "@mariozechner/pi-coding-agent",
		version: "0.73.1",
		tool: { name: "bash", arguments: { command } },
		run: (url, model) => ({
			words: ["dist/cli.js", "-p", "--provider", "tau", "--model", model, prompt],
			env: { PI_OFFLINE: "1" },
			files: {
				".pi/agent/models.json": JSON.stringify({
					providers: {
						tau: {
							baseUrl: `${url}/v1`,
							api: "openai-completions",
							apiKey: "token",
							models: [{ id: model }],
						},
					},
				}),
			},
		}),
	},
];

/** One prompt with a call of a tool, with a model of each protocol. */
export async function tryProgram(program: Program): Promise<{ problems: string[]; commands: string[] }> {
	const directory = installed(program.name, program.version);
	const problems: string[] = [];
	for (const protocol of protocols) {
		await using served = await serveGateway({
			steps: [{ when: { bodyContains: prompt }, answer: { blocks: [{ toolCall: program.tool }] } }],
			fallback: answer,
		});
		const problem = await problemOf(program, directory, served, `played-${protocol}`);
		if (problem !== undefined) problems.push(`${protocol}: ${problem}`);
	}
	return { problems, commands: [...protocols] };
}

async function problemOf(
	{ run }: Program,
	directory: string,
	{ url, played }: ServedGateway,
	model: string,
): Promise<string | undefined> {
	const home = mkdtempSync(join(tmpdir(), "tau-third-party-"));
	try {
		const { words, env, files = {} } = run(url, model);
		const [program = "", ...args] = words;
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(join(home, path, ".."), { recursive: true });
			writeFileSync(join(home, path), text);
		}
		const child = Bun.spawn([join(directory, program), ...args], {
			cwd: home,
			env: { PATH: process.env.PATH ?? "", HOME: home, TERM: "dumb", ...env },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
			timeout: runMs,
		});
		const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
		if (code !== 0) return `it ended with ${code}: ${err || out}`;
		if (!out.includes(answer)) return `it did not print the answer: ${out || err}`;
		const sent = played.requests.map(({ body }) => JSON.stringify(body));
		return sent.at(-1)?.includes(output) ? undefined : "the output of its tool did not reach the model";
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}
