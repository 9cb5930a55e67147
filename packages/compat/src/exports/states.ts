/**
 * What becomes of each name that a package of pi or omp exports at run time: one JSON a package, by name, with
 * `{ "state": "real" | "alias" | "harmless" | "refused", "note": "…" }`. `alias`: there under another name too, which
 * the note says; `harmless`: can be called, and the note says what that does; `refused`: can be imported, and throws the
 * note when it is used. The page docs/compatibility.md and the stand-ins are made from these, and a test holds them to it.
 */
export interface ExportState {
	state: "real" | "alias" | "harmless" | "refused";
	note?: string;
}

export type ExportStates = Readonly<Record<string, ExportState>>;

export const packageNames = [
	"pi-coding-agent",
	"pi-tui",
	"pi-ai",
	"pi-agent-core",
	"pi-utils",
	"pi-natives",
] as const;
export type PackageName = (typeof packageNames)[number];

const files: Readonly<Record<PackageName, () => Promise<{ default: unknown }>>> = {
	"pi-coding-agent": () => import("./pi-coding-agent.json"),
	"pi-tui": () => import("./pi-tui.json"),
	"pi-ai": () => import("./pi-ai.json"),
	"pi-agent-core": () => import("./pi-agent-core.json"),
	"pi-utils": () => import("./pi-utils.json"),
	"pi-natives": () => import("./pi-natives.json"),
};

/** Read when an extension imports the package, and not before. */
export async function statesOf(name: PackageName): Promise<ExportStates> {
	return (await files[name]()).default as ExportStates;
}
