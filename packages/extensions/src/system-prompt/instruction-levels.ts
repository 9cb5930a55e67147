/** Decides whose instructions the model receives, by the setting `contextFiles` and the layers that set it. */
import type { Settings } from "@tau/config/settings";
import type { InstructionLevels } from "./load-prompt.ts";

/** A project may leave out its own instructions once it is trusted; the user's only the user can leave out. */
export function instructionLevels(
	settings: Pick<Settings, "get" | "getWithoutProject">,
	isTrusted: boolean,
): InstructionLevels {
	const ofUser = settings.getWithoutProject("contextFiles");
	const isOn = isTrusted ? settings.get("contextFiles") : ofUser;
	if (isOn) return "all";
	return ofUser ? "user" : "none";
}
