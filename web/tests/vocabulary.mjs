// Writes a vocabulary with hostile words in every label, definition and note, as Turtle, for a server to read. With a name
// it writes one of two small vocabularies that both have a term of the same name.
import { slice } from './payloads.mjs';

const REAL = Number(process.env.IBIDEM_PAGES_HOSTILE_REAL ?? 8);

/** Turtle has JSON's escapes, and no characters that are none. */
function text(words) {
  const kept = [...words.toWellFormed()].filter((sign) => sign >= ' ' || sign === '\n' || sign === '\t');
  return JSON.stringify(kept.slice(0, 1000).join(''));
}

const PREFIX = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .';
const MERCURY = {
  metals: 'A metal that is liquid at room temperature.',
  planets: 'The planet that is nearest to the Sun.',
};
const [name] = process.argv.slice(2);

const lines = [
  '@prefix : <https://terms.example/> .',
  PREFIX,
  ':scheme a skos:ConceptScheme ; skos:prefLabel "Gizmos"@en .',
];
for (const [number, payload] of name ? [] : slice(REAL).entries()) {
  lines.push(
    `:gizmo${number} a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "gizmo${number}"@en ;`,
    `  skos:altLabel ${text(payload)}@en ; skos:scopeNote ${text(payload)}@en ; skos:broader :above${number} ;`,
    `  skos:definition ${text(`A gizmo${number} is a thing with words on it. ${payload}`)}@en .`,
    `:above${number} a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel ${text(`${payload} ${number}`)}@en .`,
  );
}
if (name) {
  lines.splice(
    0,
    lines.length,
    PREFIX,
    `<https://${name}.example/mercury> a skos:Concept ; skos:prefLabel "mercury"@en ; skos:definition ${text(MERCURY[name])}@en .`,
  );
}
process.stdout.write(`${lines.join('\n')}\n`);
