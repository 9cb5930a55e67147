/** Reports extensions and tools to the registry; the session loads them by the same search. */
import { extensionName } from "../api/extension.ts";
import { discoverExtensions, type DiscoverRequest, type DiscoveredExtension } from "../load/discover.ts";
import { extensions, tools, type NamedFile } from "./capabilities.ts";
import type { DiscoveryRegistry, Warning } from "@tau/resources/discovery";

export function registerExtensions(registry: DiscoveryRegistry, request: DiscoverRequest): void {
	registry.register(extensions, {
		source: "extensions",
		priority: 0,
		load: async () => {
			const {
				extensions: discovered,
				problems,
				untrusted,
				shadowed,
				disabled,
				ignored,
			} = await discoverExtensions(request);
			const passedOver = (paths: readonly string[], message: string): Warning[] =>
				paths.map((path) => ({ path, message, isLeftOut: true }));
			return {
				items: discovered.filter(({ toolKind }) => !toolKind).map(named),
				warnings: [
					...problems.map(({ path, error }) => ({ path, message: error, isLeftOut: true })),
					...passedOver(untrusted, "belongs to the project, which is not trusted (--trust)"),
					...passedOver(shadowed, "is skipped: another one with the same name takes precedence"),
					...passedOver(
						ignored,
						"is skipped: git ignores it. Name it in extensions of the settings to load it",
					),
					...passedOver(disabled, "is disabled by disabledExtensions"),
				],
			};
		},
	});
	registry.register(tools, {
		source: "extensions",
		priority: 0,
		load: async () => {
			const { extensions: discovered } = await discoverExtensions(request);
			return { items: discovered.filter(({ toolKind }) => toolKind).map(named), warnings: [] };
		},
	});
}

function named({ path, sourceInfo: { source, scope } }: DiscoveredExtension): NamedFile {
	const level = scope === "temporary" ? "named" : scope;
	return { name: extensionName(path), path, origin: { source, level, path } };
}
