/** What a restore would do to a file, as a diff and in words. */
import type { SessionRewind } from "@tau/session/host";
import type { StaleIndex } from "@tau/session/commits";
import type { PlannedFile, RestoreOutcome, RestorePlan } from "@tau/log/journal";
import { everything, LineText, unifiedDiff, unify } from "@tau/tools/files";

/** The bounds of previews, each with its reason. */
const limits = {
	/** A larger file is named without a diff. */
	fileBytes: 1024 * 1024,
	/** Files that one line names; the others are counted. */
	names: 3,
} as const;

/** The change of a restore as `diff -u` shows it; one line in words if it is not text. */
export function restoreDiff(rewind: Pick<SessionRewind, "contents">, file: PlannedFile): string {
	const { now, want } = rewind.contents(file);
	const [old, next] = [textOf(now), textOf(want)];
	const isText =
		file.now.kind !== "link" && file.want.kind !== "link" && old !== undefined && next !== undefined;
	const { diff } = isText ? unifiedDiff(old, next, everything(old, next)) : { diff: "" };
	const mode = modeChange(file);
	if (diff !== "") return [...(mode === undefined ? [] : [mode]), diff].join("\n");
	return mode ?? `${verbs[file.action]} ${kindOf(file)}`;
}

const verbs = { create: "Creates", change: "Changes", delete: "Deletes" } as const;

/** Why a file is not restored by itself. */
export const conflictReasons: Readonly<Record<NonNullable<PlannedFile["conflict"]>, string>> = {
	changed: "changed since by you or another program",
	"edited-between": "you or another program edited it between two changes of this session",
	background: "changed while only a background job ran, by it or by you",
	outside: "outside of the project",
	link: "a directory of its path is a link now",
	"not-kept": "what is there now is too large to keep, or not a file",
};

/** Why a file cannot be restored. */
export const lostReasons: Readonly<Record<NonNullable<PlannedFile["lost"]>, string>> = {
	large: "it was too large to keep",
	special: "it was neither a file nor a link",
	unreadable: "it could not be read",
	limit: "there were too many files to keep",
	collected: "its content was removed to save space",
	late: "a command changed it before it was copied",
	unwritten: "its content could not be kept: the disk was full or not writable",
};

/** `Restored 3 files: a, b, c.`, and what was not. */
export function formatOutcome({ restored, skipped, failed }: RestoreOutcome): string {
	const lines = [
		restored.length === 0 ? "No files were restored." : `Restored ${listed(restored)}.`,
		...skipped.map(({ shown, conflict, lost }) => {
			const why = lost ? lostReasons[lost] : conflict ? conflictReasons[conflict] : "changed in the meantime";
			return `Not restored: ${shown} (${why}).`;
		}),
		...failed.map(({ path, reason }) => `Not restored: ${path} (${reason}).`),
	];
	return lines.join("\n");
}

/** `git still has 80 deletions staged`. */
export function formatStale({ paths, deletions }: StaleIndex): string {
	const isDeletions = deletions === paths.length;
	const word = isDeletions ? "deletion" : "change";
	return `git still has ${paths.length} ${word}${paths.length === 1 ? "" : "s"} staged`;
}

/** The absolute paths of what was restored. */
export function restoredPaths({ files }: RestorePlan, { restored }: RestoreOutcome): string[] {
	const names = new Set(restored);
	return files.filter((file) => names.has(file.shown)).map(({ path }) => path);
}

/** `2 files: a, b`. Directories come and go with their files, and count only without any. */
export function listed(paths: readonly string[]): string {
	const files = paths.filter((path) => !path.endsWith("/"));
	if (files.length > 0) return `${counted(files.length)}: ${named(files)}`;
	return `${paths.length} ${paths.length === 1 ? "directory" : "directories"}: ${named(paths)}`;
}

export function counted(files: number): string {
	return `${files} ${files === 1 ? "file" : "files"}`;
}

export function named(files: readonly string[]): string {
	const more = files.length - limits.names;
	return [...files.slice(0, limits.names), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function textOf(content: Buffer | undefined): LineText | undefined {
	if (!content) return new LineText("");
	if (content.length > limits.fileBytes || content.includes(0)) return undefined;
	return new LineText(unify(content.toString()).text);
}

function modeChange({ now, want }: PlannedFile): string | undefined {
	const [old, next] = [now, want].map((image) => ("mode" in image ? image.mode.toString(8) : undefined));
	if (old === undefined || next === undefined || old === next) return undefined;
	return `mode ${old} → ${next}`;
}

function kindOf({ now, want }: PlannedFile): string {
	const image = want.kind === "absent" ? now : want;
	if (image.kind === "link") return `a link to ${Buffer.from(image.target, "latin1").toString()}`;
	if (image.kind === "directory") return "a directory";
	return image.kind === "file"
		? `a file of ${image.size} bytes that is not text`
		: "something that is not a file";
}
