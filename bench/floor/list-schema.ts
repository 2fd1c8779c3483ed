const text = { type: 'string' };

/** The schema of list answers for the baseline programs. */
export const listSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'displayName', 'agent'],
        properties: { id: text, displayName: text, agent: text },
      },
    },
    nextPageLink: { type: ['string', 'null'] },
    count: { type: ['integer', 'null'], minimum: 0 },
  },
};
