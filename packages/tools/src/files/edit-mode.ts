/** Which form of `edit` a model gets; `read` shows tags and line numbers to match. */
import { env } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";

export const editModes = ["hashline", "replace", "apply_patch"] as const;
export type EditMode = (typeof editModes)[number];

/** The variable has priority over the setting; `auto` is the model's trained form. Every model can replace text. */
export function editMode(toolEnv: Pick<ToolEnv, "settings" | "env" | "session">): EditMode {
	const forced = env("TAU_EDIT_VARIANT", toolEnv.env);
	const wanted = namedMode(forced) ?? toolEnv.settings.get("edit.mode");
	return wanted === "auto" ? (toolEnv.session.model.compat?.editForm ?? "replace") : wanted;
}

/** `patch` is omp's older form of a patch. */
function namedMode(text: string | undefined): EditMode | undefined {
	return text === "patch" ? "apply_patch" : editModes.find((mode) => mode === text);
}
