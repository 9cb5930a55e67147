/** An npm registry on loopback that serves what a test publishes, and can stall or send wrong data on request. */
import { packageTarball } from "./tarball.ts";

export interface PlayedRegistry extends Disposable {
	/** With a trailing slash. */
	readonly url: string;
	/** The requested URLs, each with its authorization header. */
	readonly requests: { path: string; authorization: string | null }[];
	publish(manifest: PublishedManifest, files?: Readonly<Record<string, string>>): void;
	publishArchive(name: string, version: string, archive: Uint8Array, integrity?: string): void;
	/** Delays the next archive until the given promise is settled. Resolves when the archive is requested. */
	hold(until: Promise<unknown>): Promise<void>;
}

interface PublishedManifest {
	name: string;
	version: string;
	[key: string]: unknown;
}

interface Published {
	archive: Uint8Array;
	integrity: string;
	manifest: Record<string, unknown>;
}

export function playRegistry(): PlayedRegistry {
	const packages = new Map<string, Map<string, Published>>();
	const requests: PlayedRegistry["requests"] = [];
	let held: { until: Promise<unknown>; asked: () => void } | undefined;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname } = new URL(request.url);
			const path = decodeURIComponent(pathname.slice(1));
			requests.push({ path, authorization: request.headers.get("authorization") });
			const [, name = "", version = ""] = /^-\/(.+)\/([^/]+)\.tgz$/.exec(path) ?? [];
			const archive = packages.get(name)?.get(version)?.archive;
			if (archive) {
				const waiting = held;
				held = undefined;
				waiting?.asked();
				await waiting?.until;
				return new Response(archive);
			}
			const versions = packages.get(path);
			return versions
				? Response.json(documentOf(path, versions))
				: new Response("not there", { status: 404 });
		},
	});
	const url = `http://127.0.0.1:${server.port}/`;
	const documentOf = (name: string, versions: Map<string, Published>): unknown => ({
		name,
		"dist-tags": { latest: [...versions.keys()].at(-1) },
		versions: Object.fromEntries(
			[...versions].map(([version, { manifest, integrity }]) => [
				version,
				{ ...manifest, name, version, dist: { tarball: `${url}-/${name}/${version}.tgz`, integrity } },
			]),
		),
	});
	const store = (name: string, version: string, published: Published): void => {
		packages.set(name, (packages.get(name) ?? new Map<string, Published>()).set(version, published));
	};
	return {
		url,
		requests,
		publish(manifest, files = {}) {
			const archive = packageTarball({ "package.json": JSON.stringify(manifest), ...files });
			store(manifest.name, manifest.version, { archive, integrity: sumOf(archive), manifest });
		},
		publishArchive: (name, version, archive, integrity = sumOf(archive)) =>
			store(name, version, { archive, integrity, manifest: {} }),
		hold(until) {
			const asked = Promise.withResolvers<void>();
			held = { until, asked: asked.resolve };
			return asked.promise;
		},
		[Symbol.dispose]: () => void server.stop(true),
	};
}

function sumOf(bytes: Uint8Array): string {
	return `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
}
