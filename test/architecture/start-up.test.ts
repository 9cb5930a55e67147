/** What a start loads: modules are most of its time, so whatever is not needed for the first answer is imported lazily. */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";

import { repository } from "./tree.ts";

const application = "packages/coding-agent/src";
const terminal = "packages/interactive/src";

interface Start {
	/** The files whose code is loaded, without those that are loaded by `import()`. */
	readonly files: readonly string[];
	readonly bytes: number;
}

/** A part of the executable, as the bundler describes it. */
interface Chunk {
	readonly bytes: number;
	readonly entryPoint?: string;
	readonly inputs: Readonly<Record<string, unknown>>;
	readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** By the name of the file. */
let chunks: ReadonlyMap<string, Chunk>;

beforeAll(async () => {
	const built = await Bun.build({
		entrypoints: [join(repository, application, "cli/main.ts")],
		root: repository,
		target: "bun",
		format: "esm",
		splitting: true,
		metafile: true,
		minify: { syntax: true, whitespace: true, identifiers: false },
		plugins: [
			{
				name: "own code only",
				setup: ({ onResolve }) =>
					void onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
						kind.startsWith("entry-point") || path.startsWith("@tau/") ? undefined : { path, external: true },
					),
			},
		],
	});
	const outputs = Object.entries(built.metafile?.outputs ?? {});
	chunks = new Map(outputs.map(([path, chunk]) => [nameOf(path), chunk]));
});

function nameOf(path: string): string {
	return path.split("/").at(-1) ?? path;
}

function startOf(entry: string): Start {
	const [first] = [...chunks].find(([, { entryPoint }]) => entryPoint?.endsWith(entry)) ?? [];
	if (first === undefined) throw new Error(`${entry} is no entry point of the executable`);
	const loaded = new Set([first]);
	// A set is read while it grows.
	for (const name of loaded)
		for (const { path, kind } of chunks.get(name)?.imports ?? [])
			if (kind === "import-statement" && chunks.has(nameOf(path))) loaded.add(nameOf(path));
	const parts = [...loaded].flatMap((name) => chunks.get(name) ?? []);
	return {
		files: parts.flatMap(({ inputs }) => Object.keys(inputs)),
		bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
	};
}

async function modulesOf({ files }: Start): Promise<Set<string>> {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	const imported = await Promise.all(
		files
			.filter((file) => file.endsWith(".ts"))
			.map(async (file) => transpiler.scanImports(await Bun.file(join(repository, file)).text())),
	);
	const statements = imported.flat().filter(({ kind }) => kind === "import-statement");
	return new Set(statements.map(({ path }) => path).filter((path) => !/^(?:\.|@tau\/)/.test(path)));
}

/** Loaded when they are used. A lazily imported `index.ts` that the start imports too comes whole: import a file that exports only what is needed. */
const onDemand = [
	"packages/integrations/src/lsp/client/",
	"packages/integrations/src/lsp/servers/",
	"packages/integrations/src/lsp/actions/",
	"packages/integrations/src/lsp/sharing/",
	"packages/integrations/src/debug/client/",
	"packages/integrations/src/browser/process/",
	"packages/integrations/src/eval/js/",
	"packages/ai/src/credentials/broker/",
	"packages/tools/src/fetch/",
	"packages/machines/src/ssh/",
	"packages/machines/src/isolation/",
	"packages/session/src/export/",
	"packages/log/src/import/",
	"packages/session/src/memory/memory.ts",
];

describe("a print run", () => {
	test("loads no screen, no language server and nothing else that its first answer does not need", () => {
		const { files } = startOf(`${application}/cli/launch/launch.ts`);
		const screen = ["packages/tui/", `${terminal}/`];
		expect(files.filter((file) => [...screen, ...onDemand].some((start) => file.startsWith(start)))).toEqual(
			[],
		);
		expect(files.length).toBeGreaterThan(500);
	});

	test("loads of Node's library only what is small", async () => {
		// Streams, sockets, processes and cryptography take 12 ms: see sys/src/node-library.ts and `Bun.CryptoHasher`.
		const small = ["events", "fs", "fs/promises", "os", "path", "timers/promises"];
		const allowed = new Set(["bun:ffi", "bun:jsc", "zod", ...small.map((name) => `node:${name}`)]);
		const modules = await modulesOf(startOf(`${application}/cli/launch/launch.ts`));
		expect([...modules].filter((path) => !allowed.has(path))).toEqual([]);
	});

	test("loads at most 1.57 MB of code", () => {
		expect(startOf(`${application}/cli/launch/launch.ts`).bytes).toBeLessThan(1_570_000);
	});
});

test.each([`${application}/cli/launch/interactive-session.ts`, `${terminal}/index.ts`])(
	"the terminal loads no language server and nothing else that its prompt does not need (%s)",
	(entry) => {
		const { files } = startOf(entry);
		expect(files.filter((file) => onDemand.some((start) => file.startsWith(start)))).toEqual([]);
		expect(files.length).toBeGreaterThan(500);
	},
);

test("the extensions that ship with Tau load neither TypeBox nor the whole of zod", async () => {
	const files = ["packages/extensions/src/host/index.ts", "packages/bundled/src/mu/mu.ts"].flatMap(
		(entry) => startOf(entry).files,
	);
	const sources = await Promise.all(
		files
			.filter((file) => file.endsWith(".ts"))
			.map(async (file) => ({ file, text: await Bun.file(join(repository, file)).text() })),
	);
	// The build defers `import { z }` to the first schema, and nothing else (scripts/release/executable.ts).
	const whole = /^import (?!type\b)(?!\{ z \} from)[^;]*from "(?:zod|typebox-v\d)/m;
	expect(sources.filter(({ text }) => whole.test(text)).map(({ file }) => file)).toEqual([]);
	expect(files.length).toBeGreaterThan(50);
});

test("--version loads nothing but the utilities", () => {
	const { files } = startOf(`${application}/cli/main.ts`);
	expect(files.filter((file) => !/^packages\/(?:utils|coding-agent\/src\/cli\/main\.ts)/.test(file))).toEqual(
		[],
	);
});
