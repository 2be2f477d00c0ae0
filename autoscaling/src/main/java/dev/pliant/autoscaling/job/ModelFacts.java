package dev.pliant.autoscaling.job;

/// What the training script says about its model. 0 is unknown.
///
/// @param parameters how many the model has
/// @param receiveOperations how many of its operations receive parameters from servers
/// @param batchSize records in one step of one worker
/// @param datasetSize records in the dataset
/// @param sequenceLength tokens in a record, of a transformer
/// @param hiddenSize the width of a layer, of a transformer
/// @param attentionHeads heads of a layer, of a transformer
/// @param layers layers, of a transformer
public record ModelFacts(
    long parameters,
    long receiveOperations,
    long batchSize,
    long datasetSize,
    long epochs,
    long sequenceLength,
    long hiddenSize,
    long attentionHeads,
    long layers) {
  /// Nothing is known.
  public static final ModelFacts UNKNOWN = new ModelFacts(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /// Whether the memory that activations take can be computed.
  public boolean describesTransformer() {
    return batchSize > 0
        && sequenceLength > 0
        && hiddenSize > 0
        && attentionHeads > 0
        && layers > 0;
  }
}
