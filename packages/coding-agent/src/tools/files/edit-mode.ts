/** Which form of `edit` a model gets; `read` shows tags and line numbers to match. */
import { env } from "@tau/utils";

import type { ToolPlace } from "../place.ts";

export const editModes = ["hashline", "replace", "apply_patch"] as const;
export type EditMode = (typeof editModes)[number];

/** The variable comes first, then the setting. Every model can replace text, so that is what `auto` means. */
export function editMode(place: Pick<ToolPlace, "settings" | "env">): EditMode {
	const forced = env("TAU_EDIT_VARIANT", place.env);
	const wanted = forced !== undefined && isEditMode(forced) ? forced : place.settings.get("edit.mode");
	return wanted === "auto" ? "replace" : wanted;
}

function isEditMode(text: string): text is EditMode {
	return editModes.some((mode) => mode === text);
}
