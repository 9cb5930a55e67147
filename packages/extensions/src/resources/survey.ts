/** Everything that is found, of every kind, with what is passed over and why: for `tau doctor`. */
import { eachCapability } from "./capabilities.ts";
import type { DiscoveryPaths } from "@tau/resources/sources";
import type {
	DiscoveryRegistry,
	Switches,
	Capability,
	Discovered,
	Origin,
	Warning,
} from "@tau/resources/discovery";

export interface SurveyRow extends Origin {
	name: string;
	about: string;
	state: "used" | "shadowed" | "disabled";
	/** The path of the item that is used instead, or the entry of the setting that disables it. */
	because?: string;
}

export interface SurveySection {
	id: string;
	title: string;
	rows: SurveyRow[];
	warnings: Warning[];
}

export async function survey(
	registry: DiscoveryRegistry,
	paths: DiscoveryPaths,
	switches: Switches,
): Promise<SurveySection[]> {
	return Promise.all(eachCapability((capability) => section(capability, registry, paths, switches)));
}

async function section<T extends Discovered>(
	capability: Capability<T>,
	registry: DiscoveryRegistry,
	paths: DiscoveryPaths,
	switches: Switches,
): Promise<SurveySection> {
	const { items, shadowed, disabled, warnings } = await registry.load(capability, paths, switches);
	const row = (item: T, state: SurveyRow["state"], because?: string): SurveyRow => ({
		name: item.name,
		about: capability.about(item),
		...item.origin,
		state,
		...(because === undefined ? {} : { because }),
	});
	return {
		id: capability.id,
		title: capability.title,
		rows: [
			...items.map((item) => {
				const by = capability.disabledBy?.(item);
				return by === undefined ? row(item, "used") : row(item, "disabled", by);
			}),
			...shadowed.map(({ item, by }) => row(item, "shadowed", by.origin.path)),
			...disabled.map(({ item, by }) => row(item, "disabled", by)),
		],
		warnings,
	};
}
