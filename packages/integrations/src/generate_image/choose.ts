/** The service that an image is ordered from. */
import type { Settings } from "@tau/config/settings";

import type { ServiceKeys } from "@tau/tools/tool";
import { imageServices, type ImageService } from "./services.ts";

export interface ImageAccess {
	readonly keys: ServiceKeys;
	readonly settings: Pick<Settings, "get">;
}

/** The user's choice, or the first that has a key. */
export function chosenService({ keys, settings }: ImageAccess): ImageService | undefined {
	const choice = settings.get("providers.image");
	return imageServices.find(({ id }) => (choice === "auto" ? keys.has(id) : id === choice));
}
