/** Builds Tau as one executable, with the parts of one platform alone. */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { BunPlugin } from "bun";

import { foreignPackage, installedFile } from "./natives.ts";
import { platformHere, type Platform } from "./platforms.ts";

const root = join(import.meta.dir, "../..");

/**
 * Which functions a session uses, as `npm run bytecode-order` has recorded it, the most common way of starting first.
 * Their bytecode lies together, so that a process maps only that.
 */
export const recordedOrders = ["interactive", "print", "resume", "long"].map((name) =>
	join(import.meta.dir, "bytecode-order", `${name}.order`),
);

export interface BuildOptions {
	/** Undefined on a machine that no release is made for: then it brings no native parts but its own. */
	platform: Platform | undefined;
	outfile: string;
	/** PEM of the key that signs releases; `tau update` trusts no other. */
	releaseKey?: string;
	/** Of the checkout, as a part of the version; a release is known by its number. */
	commit?: string | undefined;
	/** False for a build that only tests use: bytecode is 8 s of the 10 s of CPU that a build takes. */
	bytecode?: boolean;
}

/** Messages of the build go to stderr. Returns whether it succeeded. */
export async function buildExecutable(options: BuildOptions): Promise<boolean> {
	const ordered = await build(options, options.bytecode === false ? null : recordedOrders);
	// A recorded order that does not fit this build or this Bun costs memory, and no user a build; the bench reports it.
	const isOrder = ({ message }: { message: string }): boolean => message.includes("bytecode order");
	const result = !ordered.success && ordered.logs.some(isOrder) ? await build(options, null) : ordered;
	for (const message of result.logs) if (!isOrder(message)) process.stderr.write(`${message}\n`);
	return result.success;
}

async function build(
	{ platform, outfile, releaseKey, commit, bytecode = true }: BuildOptions,
	bytecodeOrder: string[] | null,
): Promise<Bun.BuildOutput> {
	const natives = platform ? [await withRipgrep(platform), await withEngine(platform)] : [];
	return Bun.build({
		entrypoints: [join(root, "packages/coding-agent/src/cli/main.ts")],
		target: "bun",
		format: "esm",
		splitting: true,
		bytecode,
		minify: { syntax: true, whitespace: true, identifiers: false },
		compile: {
			outfile,
			...(platform ? { target: platform.target } : {}),
			// The engine would compile thousands of functions that a session hardly calls again: a quarter of the CPU time
			// of a start and of a turn. It waits for a hundred times as many calls: at ten times, 20 calls of tools took
			// 156 ms of CPU instead of 114, and at thirty, 200 KB of Markdown 399 ms instead of 376. Workers set this back
			// (cli/main.ts).
			jitPolicy: 100,
			...(bytecode ? { bytecodeOrder } : {}),
			// A repository that Tau is started in must not configure our runtime.
			autoloadDotenv: false,
			autoloadBunfig: false,
			// Extensions stand on packages of their own, and those say in theirs where their modules are.
			autoloadPackageJson: true,
		},
		define: {
			// Only this executable can be started again as a worker process (sys/src/worker/pool.ts).
			"process.env.TAU_EXECUTABLE": JSON.stringify("1"),
			"process.env.TAU_COMMIT": commit === undefined ? "undefined" : JSON.stringify(commit),
			...(releaseKey === undefined
				? {}
				: {
						"process.env.TAU_RELEASE_KEY": JSON.stringify(releaseKey),
						"process.env.TAU_RELEASE_PLATFORM": JSON.stringify(platform?.name),
					}),
		},
		plugins: [...natives, ownGrammars(platform), await withPage(), lazyZod, lazyLocales, inlineText],
		throw: false,
	});
}

/** The directory of a native package that has to be fetched; undefined for this platform, which has it installed. */
function fetched(platform: Platform, name: string): Promise<string> | undefined {
	return platform.name === platformHere()?.name ? undefined : foreignPackage(name);
}

/** Puts ripgrep into the executable: the package itself looks for it in a `node_modules`, which does not exist then. */
async function withRipgrep(platform: Platform): Promise<BunPlugin> {
	const file = join("bin", platform.os === "win32" ? "rg.exe" : "rg");
	const directory = await fetched(platform, platform.ripgrep);
	return {
		name: "ripgrep",
		setup({ onLoad }) {
			onLoad({ filter: /[\\/]@vscode[\\/]ripgrep[\\/]lib[\\/]index\.js$/ }, ({ path }) => {
				const program = directory
					? join(directory, file)
					: installedFile(`${platform.ripgrep}/${file}`, path);
				// Without one Tau looks for another on PATH.
				if (program === undefined) return undefined;
				const contents = `export { default as rgPath } from ${JSON.stringify(program)} with { type: "file" };`;
				return { loader: "js", contents };
			});
		},
	};
}

/** Brings the engine of ast-grep for the platform, and none of another. */
async function withEngine(platform: Platform): Promise<BunPlugin> {
	const { engine } = platform;
	const directory = await fetched(platform, engine);
	const library = directory && (await readdir(directory)).find((name) => name.endsWith(".node"));
	if (directory && library === undefined) throw new Error(`${engine} has no library`);
	// The package compares the version of its library with its own.
	const own = new Map(
		directory && library
			? [
					[engine, join(directory, library)],
					[`${engine}/package.json`, join(directory, "package.json")],
				]
			: [],
	);
	return {
		name: "engine",
		setup({ onResolve, onLoad }) {
			onResolve({ filter: /^@ast-grep\/napi-/ }, ({ path, importer }) => {
				const isOwn = path === engine || path === `${engine}/package.json`;
				const found = isOwn ? (own.get(path) ?? installedFile(path, importer)) : undefined;
				return found === undefined ? { path, namespace: "other-platform" } : { path: found };
			});
			onLoad({ filter: /.*/, namespace: "other-platform" }, ({ path }) => ({
				loader: "js",
				contents: `throw new Error(${JSON.stringify(`${path} is not in this executable`)});`,
			}));
		},
	};
}

/** Leaves out the grammars of other machines: they are 20 MB. */
function ownGrammars(platform: Platform | undefined): BunPlugin {
	const own = `${platform?.os ?? process.platform}-${platform?.cpu ?? process.arch}.ts`;
	return {
		name: "grammars",
		setup({ onLoad }) {
			onLoad({ filter: /[\\/]ast[\\/]grammars[\\/](?:linux|darwin|win32)-\w+\.ts$/ }, ({ path }) =>
				path.endsWith(own) ? undefined : { loader: "ts", contents: "export default {};" },
			);
		},
	};
}

/**
 * Puts the finished page into the executable, each file compressed and unread until a browser asks for it. It is built
 * first: a build inside a plugin of another one would wait for it without end.
 */
async function withPage(): Promise<BunPlugin> {
	const { writePage } = await import("@tau/web/build");
	const files = await writePage(join(root, "node_modules/.cache/tau/page"));
	return {
		name: "page",
		setup({ onLoad }) {
			onLoad({ filter: /[\\/]web[\\/]src[\\/]assets[\\/]built\.ts$/ }, ({ path }) => {
				const asset = JSON.stringify(join(dirname(path), "asset.ts"));
				const imports = files.map(
					({ file }, at) => `import f${at} from ${JSON.stringify(file)} with { type: "file" };`,
				);
				const rows = files.map((each, at) => `[${JSON.stringify(each.path)}, f${at}]`);
				const contents = [
					...imports,
					`import { pageAsset } from ${asset};`,
					`const assets = new Map([${rows.join()}].map(([path, file]) => [path, pageAsset(path, () => Bun.file(file).bytes())]));`,
					"export const pageAssets = () => Promise.resolve(assets);",
				].join("\n");
				return { loader: "ts", contents };
			});
		},
	};
}

/**
 * zod is evaluated when the first schema is built: that takes 5 ms, and a run that calls no tool needs none. Modules
 * that hand zod itself to extensions import all of it (`import * as zod`), and get it.
 */
const lazyZod: BunPlugin = {
	name: "zod",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^zod$/ }, async ({ importer }) => {
			const isOwn = importer.startsWith(join(root, "packages")) && !importer.includes("node_modules");
			if (!isOwn || !/^import \{ z \} from "zod";$/m.test(await Bun.file(importer).text())) return undefined;
			return { path: `lazy:${Bun.resolveSync("zod", dirname(importer))}`, namespace: "lazy-zod" };
		});
		onLoad({ filter: /.*/, namespace: "lazy-zod" }, ({ path }) => {
			const zod = JSON.stringify(path.slice("lazy:".length));
			const contents = `export const z = new Proxy({}, { get: (_, name) => require(${zod}).z[name] });`;
			return { loader: "js", contents };
		});
	},
};

/**
 * zod's messages in 60 languages are 300 KB that every start would evaluate. They stay where `z.locales` has them, and
 * are evaluated when one is called.
 */
const lazyLocales: BunPlugin = {
	name: "locales",
	setup({ onLoad }) {
		onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, async ({ path }) => {
			const eager = await Bun.file(path).text();
			const contents = eager.replace(
				/^export \{ default as (\w+) \} from ("[^"]+");$/gm,
				(_, name, from) => `export function ${name}() { return require(${from}).default(); }`,
			);
			return { loader: "js", contents };
		});
	},
};

/** Bun would keep each imported text as a module of its own, which takes longer to load than the text is worth. */
const inlineText: BunPlugin = {
	name: "text",
	setup({ onLoad }) {
		onLoad({ filter: /\.(?:md|sh)$/ }, async ({ path }) => ({
			loader: "js",
			contents: `export default ${JSON.stringify(await Bun.file(path).text())};`,
		}));
	},
};
