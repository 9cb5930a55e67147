/** Settings about generating images. */
import { choice, text, toggle } from "../setting.ts";

const outgoing = "it controls what leaves the machine";

export const imageSettings = {
	"generate_image.enabled": toggle({
		description: "Let the model generate images with your providers.",
		default: true,
		notForProjects: outgoing,
	}),
	"providers.image": choice(["auto", "openai", "google", "xai", "openrouter"], {
		description: "The provider that generates images. auto: the first of these that has a key.",
		default: "auto",
		notForProjects: outgoing,
	}),
	"providers.imageModel": text({
		description: "The model that generates images. Unset: the usual one of the provider.",
		default: undefined,
		notForProjects: outgoing,
	}),
};
