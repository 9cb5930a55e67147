/** Builds the page with Bun's bundler: split, minified, compressed, named by content. */
import { existsSync, mkdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

import { pageAsset, type PageAsset } from "./asset.ts";
import { viewerPage } from "./viewer-page.ts";

const page = join(import.meta.dir, "../page");

/** Files whose names are fixed, because browsers ask for them by name. */
const fixed: Readonly<Record<string, string>> = {
	"/manifest.webmanifest": "manifest.webmanifest",
	"/icon.svg": "icon.svg",
	"/icon.png": "icon.png",
	"/artifact": "artifact.html",
};

/** Of 11: what is built for one process is sent to a few browsers, and the most would take seconds of each start. */
const quickQuality = 4;

/** Rejects with the messages of the bundler if it does not build. */
export async function buildPage(): Promise<ReadonlyMap<string, PageAsset>> {
	const files = await pageTexts();
	const assets = await Promise.all(
		[...files].map(async ([path, text]) => {
			const brotli = await compressed(text, quickQuality);
			return pageAsset(path, () => Promise.resolve(brotli));
		}),
	);
	return new Map(assets.map((asset) => [asset.path, asset]));
}

/** Writes the compressed files into a directory, named by what is in them; what is there already is not made again. */
export async function writePage(directory: string): Promise<{ path: string; file: string }[]> {
	mkdirSync(directory, { recursive: true });
	const files = await pageTexts();
	return Promise.all(
		[...files].map(async ([path, text]) => {
			const file = join(
				directory,
				`${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}.br`,
			);
			if (!existsSync(file)) {
				// Two builds at once never see half a file.
				const draft = `${file}.${process.pid}`;
				await Bun.write(draft, await compressed(text, constants.BROTLI_MAX_QUALITY));
				await rename(draft, file);
			}
			return { path, file };
		}),
	);
}

async function pageTexts(): Promise<Map<string, string | Uint8Array>> {
	const [parts, worker, pdf, viewer] = await Promise.all([
		bundle(["main.tsx", "guest/guest.tsx", "styles/index.css"], "assets/[name]-[hash].[ext]"),
		bundle(["offline/sw.ts"], "sw.[ext]"),
		bundle(["documents/pdf-worker.ts"], "pdf-worker.[ext]"),
		viewerDocument(),
	]);
	const files = new Map<string, string | Uint8Array>();
	for (const part of [...parts, ...worker, ...pdf]) files.set(pathOf(part), await part.text());
	const entry = (name: RegExp): string =>
		pathOf(parts.find(({ kind, path }) => kind !== "chunk" && name.test(path)));
	const style = entry(/\.css$/);
	const documentOf = (name: RegExp, head = ""): string => {
		const script = entry(name);
		return documentFor({ script, style, head: preloads(script, files) + head });
	};
	files.set("/", documentOf(/main-\w+\.js$/, installable));
	files.set("/guest", documentOf(/guest-\w+\.js$/));
	files.set("/viewer", viewer);
	for (const [path, file] of Object.entries(fixed))
		files.set(path, await Bun.file(join(page, "static", file)).bytes());
	return files;
}

/** The page of a session that is only read, as one file: an export is this page with its session in it. */
async function viewerDocument(): Promise<string> {
	const { outputs } = await Bun.build({
		entrypoints: [join(page, "viewer/viewer.tsx"), join(page, "styles/viewer-page.css")],
		target: "browser",
		format: "iife",
		minify: true,
		define: { "process.env.NODE_ENV": '"production"' },
	});
	const textOf = async (ending: string): Promise<string> =>
		(await outputs.find(({ path }) => path.endsWith(ending))?.text()) ?? "";
	return viewerPage({ script: await textOf(".js"), style: await textOf(".css") });
}

/** What a script imports as it starts is asked for with the document, not after the script was read. */
function preloads(script: string, files: ReadonlyMap<string, string | Uint8Array>): string {
	const imported = new Set<string>();
	const follow = (path: string): void => {
		for (const [, next = ""] of String(files.get(path) ?? "").matchAll(/\bfrom"(\/assets\/[\w-]+\.js)"/g)) {
			if (imported.has(next)) continue;
			imported.add(next);
			follow(next);
		}
	};
	follow(script);
	return [...imported].map((path) => `<link rel="modulepreload" href="${path}">\n`).join("");
}

function pathOf(part: Bun.BuildArtifact | undefined): string {
	return `/${part?.path.replace(/^\.?\//, "") ?? ""}`;
}

async function bundle(entries: readonly string[], naming: string): Promise<Bun.BuildArtifact[]> {
	const { outputs } = await Bun.build({
		entrypoints: entries.map((entry) => join(page, entry)),
		target: "browser",
		format: "esm",
		splitting: true,
		minify: true,
		naming: { entry: naming, chunk: naming, asset: naming },
		publicPath: "/",
		define: { "process.env.NODE_ENV": '"production"' },
	});
	return outputs;
}

async function compressed(text: string | Uint8Array, quality: number): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = await promisify(brotliCompress)(text, {
		params: { [constants.BROTLI_PARAM_QUALITY]: quality },
	});
	return new Uint8Array(bytes);
}

/** Only the page of one's own sessions is an application of the device. Phones of Apple take no drawing as its icon. */
const installable = `<link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials">
<link rel="apple-touch-icon" href="/icon.png">
`;

/** `theme.js` would be a second file: the colors follow the system until the script has read the user's choice. */
function documentFor({ script, style, head }: { script: string; style: string; head: string }): string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf9f7">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#161618">
<title>Tau</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
${head}<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<div id="page"></div>
<noscript>Tau in the browser needs JavaScript.</noscript>
</body>
</html>
`;
}
