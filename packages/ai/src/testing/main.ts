/** Plays a model by hand: `bun run packages/ai/src/testing/main.ts scenario.json --port 0`. */

import { parseArgs } from "node:util";
import { parseScenario } from "./parse-scenario.ts";
import type { ReceivedRequest } from "./received.ts";
import type { Scenario } from "./scenario.ts";
import { playModel, type PlayedModel } from "./server.ts";

const usage = "usage: played-model <scenario.json> [--port <number>]";

function fail(line: string, code: number): never {
	process.stderr.write(`played-model: ${line}\n`);
	process.exit(code);
}

function readArguments(): { file: string; port: number } {
	try {
		const { values, positionals } = parseArgs({
			options: { port: { type: "string", default: "0" }, help: { type: "boolean", short: "h" } },
			allowPositionals: true,
		});
		if (values.help) {
			process.stdout.write(`${usage}\n`);
			process.exit(0);
		}
		const [file, ...more] = positionals;
		const port = Number(values.port);
		if (file === undefined || more.length > 0) return fail(usage, 2);
		if (!Number.isInteger(port) || port < 0 || port > 65535)
			return fail(`--port ${values.port} is no port`, 2);
		return { file, port };
	} catch (error) {
		return fail(`${reasonOf(error)}; ${usage}`, 2);
	}
}

async function readScenario(file: string): Promise<Scenario> {
	const text = await Bun.file(file)
		.text()
		.catch((error: unknown) => fail(`cannot read ${file}: ${reasonOf(error)}`, 2));
	const parsed = parseScenario(readJson(file, text));
	if ("error" in parsed) return fail(`${file}: ${parsed.error}`, 2);
	return parsed.script;
}

function readJson(file: string, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		return fail(`${file} is no JSON: ${reasonOf(error)}`, 2);
	}
}

function report(request: ReceivedRequest): void {
	const kind = request.protocol ?? "not a call of a model";
	const size = `${Buffer.byteLength(request.rawBody)} bytes`;
	process.stderr.write(`#${request.number} ${request.method} ${request.path}  ${kind}, ${size}\n`);
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

async function start(scenario: Scenario, port: number): Promise<PlayedModel> {
	return playModel(scenario, { port, onRequest: report }).catch((error: unknown) =>
		fail(`cannot listen on port ${port}: ${reasonOf(error)}`, 1),
	);
}

const { file, port } = readArguments();
const played = await start(await readScenario(file), port);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.once(signal, () => void played.close().then(() => process.exit(0)));
}
process.stdout.write(
	`played model on ${played.url}  (anthropic: ${played.anthropicUrl}, openai: ${played.openaiUrl})\n`,
);
