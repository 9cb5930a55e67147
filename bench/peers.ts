/** Other programs of the kind, installed on request into a cache of this repository, run on the same Bun. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { figuresOf, type Contender, type Figures } from "./contender.ts";
import { modelName, type ModelServer } from "./home.ts";
import type { Start } from "./program.ts";

const cache = join(import.meta.dir, "../node_modules/.cache/peers");
const installMs = 300_000;

interface Peer {
	name: string;
	package: string;
	/** The newest first; the others are for when a part of it is missing in the registry. */
	versions: readonly string[];
	/** Its own files in a home: by path, with the models as JSON, which is YAML too. */
	files(models: string): Readonly<Record<string, string>>;
	env: Readonly<Record<string, string>>;
}

const peers: readonly Peer[] = [
	{
		name: "pi",
		package: "@earendil-works/pi-coding-agent",
		versions: ["latest", "0.74.2"],
		files: (models) => ({ ".pi/agent/models.json": models }),
		env: { PI_OFFLINE: "1" },
	},
	{
		name: "omp",
		package: "@oh-my-pi/pi-coding-agent",
		versions: ["latest", "18.2.3"],
		files: (models) => ({
			".omp/agent/models.yml": models,
			".omp/agent/config.yml": "startup:\n  setupWizard: false\n",
		}),
		env: { PI_OFFLINE: "1" },
	},
];

export type Measured = { name: string; figures: Figures } | { name: string; reason: string };

/** Each with its figures, or why there are none. */
export async function measurePeers(): Promise<Measured[]> {
	const measured: Measured[] = [];
	for (const peer of peers) {
		try {
			const { version, cli } = await installed(peer);
			const name = `${peer.name} ${version}`;
			process.stderr.write(`bench: measuring ${name} …\n`);
			measured.push({ name, figures: await figuresOf(contender(peer, cli)) });
		} catch (error) {
			const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
			process.stderr.write(`bench: no figures of ${peer.name}: ${reason}\n`);
			measured.push({ name: peer.name, reason });
		}
	}
	return measured;
}

function contender(peer: Peer, cli: string): Contender {
	return { name: peer.name, rounds: 3, start: (played) => homeOf(peer, cli, played) };
}

function homeOf(peer: Peer, cli: string, played: ModelServer): Start & Disposable {
	const home = mkdtempSync(join(tmpdir(), "tau-bench-peer-"));
	const project = join(home, "project");
	mkdirSync(project);
	const model = { id: "played-1", name: "Played", contextWindow: 200_000, maxTokens: 16_384 };
	const provider = {
		baseUrl: played.anthropicUrl,
		api: "anthropic-messages",
		apiKey: "none",
		models: [model],
	};
	const files = peer.files(JSON.stringify({ providers: { played: provider } }));
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(join(home, path, ".."), { recursive: true });
		writeFileSync(join(home, path), text);
	}
	return {
		command: [process.execPath, cli, "--model", modelName],
		cwd: project,
		env: { ...peer.env, HOME: home },
		[Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
	};
}

/** The program of a package that editors start, on the Bun of this bench; installed once. */
export async function editorPeer(name: string): Promise<{ version: string; command: string[] }> {
	const { version, cli } = await installed({
		name: name.replaceAll(/[@/]+/g, "-"),
		package: name,
		versions: ["latest"],
	});
	return { version, command: [process.execPath, cli] };
}

async function installed(
	peer: Pick<Peer, "name" | "package" | "versions">,
): Promise<{ version: string; cli: string }> {
	const reasons: string[] = [];
	for (const version of peer.versions) {
		const directory = join(cache, `${peer.name}-${version}`);
		try {
			if (!existsSync(directory)) await install(`${peer.package}@${version}`, directory);
			return programOf(join(directory, "node_modules", peer.package));
		} catch (error) {
			reasons.push(error instanceof Error ? error.message : String(error));
		}
	}
	throw new Error(`it does not install: ${reasons.at(-1) ?? ""}`);
}

/** Made whole elsewhere first: a directory in the cache is one that can be used. */
async function install(name: string, directory: string): Promise<void> {
	const draft = mkdtempSync(join(tmpdir(), "tau-bench-install-"));
	try {
		writeFileSync(join(draft, "package.json"), `{ "private": true }\n`);
		process.stderr.write(`bench: installing ${name} …\n`);
		const child = Bun.spawn([process.execPath, "add", name], {
			cwd: draft,
			stdin: "ignore",
			stdout: "ignore",
			stderr: "pipe",
			timeout: installMs,
		});
		const [code, errors] = await Promise.all([child.exited, child.stderr.text()]);
		if (code !== 0) throw new Error(/error: .*/.exec(errors)?.[0] ?? `bun ended with ${code}`);
		mkdirSync(cache, { recursive: true });
		await Bun.spawn(["mv", draft, directory], { stdin: "ignore", stdout: "ignore" }).exited;
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
}

function programOf(directory: string): { version: string; cli: string } {
	const { version, bin } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
		version: string;
		bin: Record<string, string>;
	};
	const [cli] = Object.values(bin);
	if (cli === undefined) throw new Error("it has no program");
	return { version, cli: join(directory, cli) };
}
