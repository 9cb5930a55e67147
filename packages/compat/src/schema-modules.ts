/** What imports of TypeBox are answered with: the package itself, 1.x as `typebox` and 0.34 as `@sinclair/typebox`. */

type Exports = Readonly<Record<string, unknown>>;

/**
 * The packages are installed under names of our own. By its real name a package would be answered by these very
 * modules when Tau runs from its sources.
 */
export const schemaModules: Readonly<Record<string, () => Promise<Exports>>> = {
	typebox: () => import("typebox-v1"),
	"typebox/compile": () => import("typebox-v1/compile"),
	"typebox/error": () => import("typebox-v1/error"),
	"typebox/format": () => import("typebox-v1/format"),
	"typebox/guard": () => import("typebox-v1/guard"),
	"typebox/schema": () => import("typebox-v1/schema"),
	"typebox/system": () => import("typebox-v1/system"),
	"typebox/type": () => import("typebox-v1/type"),
	"typebox/value": () => import("typebox-v1/value"),
	"@sinclair/typebox": () => import("typebox-v0"),
	"@sinclair/typebox/compiler": () => import("typebox-v0/compiler"),
	"@sinclair/typebox/errors": () => import("typebox-v0/errors"),
	"@sinclair/typebox/parser": () => import("typebox-v0/parser"),
	"@sinclair/typebox/syntax": () => import("typebox-v0/syntax"),
	"@sinclair/typebox/system": () => import("typebox-v0/system"),
	"@sinclair/typebox/type": () => import("typebox-v0/type"),
	"@sinclair/typebox/value": () => import("typebox-v0/value"),
};
